/** Draws particles as round points from quantised positions and values of two frames; motion.ts describes the interpolation. */

export const VERTEX = `
layout(location = 0) in vec4 first;            // codes of position and value
layout(location = 1) in vec4 firstVelocity;    // codes of velocity, and the frames that contain the particle
layout(location = 2) in vec4 second;
layout(location = 3) in vec4 secondVelocity;
uniform vec3 positionOffset[2], positionScale[2];          // position = offset + scale * code [m], for each frame
uniform vec3 displacementOffset[2], displacementScale[2];  // velocity times the interval between the frames [m]
uniform vec2 valueCoding[2];                   // offset and scale of the values
uniform float blend;                           // 0: first frame, 1: second frame
uniform vec3 lower, upper;                     // corners of the domain [m]
uniform vec3 period;                           // period of periodic axes [m], else 0
uniform float maxExtrapolation;                // limit of a displacement that the frames do not determine [m]
uniform mat4 view;                             // world to clip coordinates
uniform float size;                            // diameter of a point [device pixels], at distance 1 in perspective
uniform vec2 range;
uniform float perspective;                     // 1: points shrink with distance
uniform sampler2D colors;
out vec3 pointColor;
out float diameter;

const float LEAST = 1e-30;
vec3 inversePeriod() { return vec3(greaterThan(period, vec3(0.0))) / max(period, LEAST); }

bool isOutside(vec3 position) {
  vec3 beyond = max(lower - position, position - upper);
  return any(greaterThan(beyond * vec3(equal(period, vec3(0.0))), vec3(0.0)));
}

// Cubic Hermite interpolation in t.
vec3 hermite(vec3 x0, vec3 v0, vec3 x1, vec3 v1, float t) {
  vec3 displacement = x1 - x0;
  displacement += period * round((0.5 * (v0 + v1) - displacement) * inversePeriod());
  float limit = 3.0 * length(displacement) + maxExtrapolation;
  v0 *= min(1.0, limit / max(length(v0), LEAST));
  v1 *= min(1.0, limit / max(length(v1), LEAST));
  return x0 + t * t * (3.0 - 2.0 * t) * displacement + t * (1.0 - t) * (1.0 - t) * v0 - t * t * (1.0 - t) * v1;
}

// Moves a particle that only one frame contains. The share is 0 at that frame and 1 or -1 at the other one.
// Returns false if the particle is not drawn.
bool extrapolate(inout vec3 position, vec3 displacement, float share) {
  bool crossesSide = isOutside(position + sign(share) * displacement);
  if (!crossesSide && abs(share) > 0.5) return false;
  float factor = crossesSide ? share : share * min(1.0, maxExtrapolation / max(abs(share) * length(displacement), LEAST));
  position += factor * displacement;
  return !crossesSide || !isOutside(position);
}

void main() {
  vec3 x0 = positionOffset[0] + positionScale[0] * first.xyz, x1 = positionOffset[1] + positionScale[1] * second.xyz;
  vec3 v0 = displacementOffset[0] + displacementScale[0] * firstVelocity.xyz;
  vec3 v1 = displacementOffset[1] + displacementScale[1] * secondVelocity.xyz;
  vec2 values = vec2(valueCoding[0].x + valueCoding[0].y * first.w, valueCoding[1].x + valueCoding[1].y * second.w);
  float membership = firstVelocity.w, share = blend;
  bool isDrawn = true;
  vec3 position = x0;
  if (membership < 0.5) position = hermite(x0, v0, x1, v1, blend);
  else if (membership < 1.5) {
    isDrawn = extrapolate(position, v0, blend);
    share = 0.0;
  } else {
    position = x1;
    isDrawn = extrapolate(position, v1, blend - 1.0);
    share = 1.0;
  }
  vec3 periods = (position - lower) * inversePeriod();
  if (any(lessThan(periods, vec3(0.0))) || any(greaterThan(periods, vec3(1.0)))) position -= period * floor(periods);
  gl_Position = isDrawn ? view * vec4(position, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  float value = mix(values.x, values.y, share);
  float level = clamp((value - range.x) / (range.y - range.x), 0.0, 1.0);
  pointColor = texture(colors, vec2((level * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  gl_PointSize = max(1.0, perspective > 0.0 ? size / gl_Position.w : size);
  diameter = gl_PointSize;
}`;

export const FRAGMENT = `
uniform float perspective;
uniform float opacity;                         // 1: opaque
in vec3 pointColor;
in float diameter;
out vec4 color;
void main() {
  vec2 offset = 2.0 * gl_PointCoord - 1.0;
  float r2 = dot(offset, offset);
  if (diameter > 2.5 && r2 > 1.0) discard;
  float edge = diameter > 2.5 ? 1.0 - smoothstep(0.75, 1.0, r2) : 1.0;
  bool isSphere = perspective > 0.0 && opacity == 1.0;
  float light = isSphere ? 0.62 + 0.38 * sqrt(max(0.0, 1.0 - r2)) - 0.12 * offset.y : 1.0;
  float alpha = isSphere ? 1.0 : opacity < 1.0 && diameter > 2.5 ? opacity * (1.0 - r2) : opacity * edge;
  color = vec4(pointColor * light * alpha, alpha);
}`;
