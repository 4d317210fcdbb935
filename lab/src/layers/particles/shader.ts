/** Particles as round points, from quantised places and values of two frames. What is done between them, motion.ts says. */

export const VERTEX = `
layout(location = 0) in vec4 first;         // codes of place and value
layout(location = 1) in vec4 firstSpeed;    // codes of velocity, and which frames have the particle
layout(location = 2) in vec4 second;
layout(location = 3) in vec4 secondSpeed;
uniform vec3 origin[2], pitch[2];           // of a frame: place = origin + pitch * code [m]
uniform vec3 rest[2], pace[2];              // way in the whole time between the frames = rest + pace * code [m]
uniform vec2 decode[2];                     // offset, scale of values
uniform float blend;                        // 0: first, 1: second
uniform vec3 lower, upper;                  // corners of the domain [m]
uniform vec3 period;                        // of periodic axes [m], else 0
uniform float reach;                        // how far a particle goes where frames do not say how [m]
uniform mat4 view;                          // world to clip coordinates
uniform float size;                         // diameter of a point [device pixels], at distance 1 if depth is on
uniform vec2 range;
uniform float depth;                        // 1: points get smaller with distance
uniform sampler2D colors;
out vec3 tint;
out float radius;

const float LEAST = 1e-30;
vec3 perPeriod() { return vec3(greaterThan(period, vec3(0.0))) / max(period, LEAST); }

bool isOutside(vec3 place) {
  vec3 beyond = max(lower - place, place - upper);
  return any(greaterThan(beyond * vec3(equal(period, vec3(0.0))), vec3(0.0)));
}

// Hermite's cubic, in t
vec3 curve(vec3 x0, vec3 v0, vec3 x1, vec3 v1, float t) {
  vec3 way = x1 - x0;
  way += period * round((0.5 * (v0 + v1) - way) * perPeriod());
  float most = 3.0 * length(way) + reach;
  v0 *= min(1.0, most / max(length(v0), LEAST));
  v1 *= min(1.0, most / max(length(v1), LEAST));
  return x0 + t * t * (3.0 - 2.0 * t) * way + t * (1.0 - t) * (1.0 - t) * v0 - t * t * (1.0 - t) * v1;
}

// Of a particle that only one frame has: share is 0 there, and 1 or -1 in the other. False: it is not drawn.
bool alone(inout vec3 place, vec3 way, float share) {
  bool passes = isOutside(place + sign(share) * way);
  if (!passes && abs(share) > 0.5) return false;
  float go = passes ? share : share * min(1.0, reach / max(abs(share) * length(way), LEAST));
  place += go * way;
  return !passes || !isOutside(place);
}

void main() {
  vec3 x0 = origin[0] + pitch[0] * first.xyz, x1 = origin[1] + pitch[1] * second.xyz;
  vec3 v0 = rest[0] + pace[0] * firstSpeed.xyz, v1 = rest[1] + pace[1] * secondSpeed.xyz;
  vec2 values = vec2(decode[0].x + decode[0].y * first.w, decode[1].x + decode[1].y * second.w);
  float which = firstSpeed.w, share = blend;
  bool drawn = true;
  vec3 place = x0;
  if (which < 0.5) place = curve(x0, v0, x1, v1, blend);
  else if (which < 1.5) {
    drawn = alone(place, v0, blend);
    share = 0.0;
  } else {
    place = x1;
    drawn = alone(place, v1, blend - 1.0);
    share = 1.0;
  }
  vec3 turns = (place - lower) * perPeriod();
  if (any(lessThan(turns, vec3(0.0))) || any(greaterThan(turns, vec3(1.0)))) place -= period * floor(turns);
  gl_Position = drawn ? view * vec4(place, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  float value = mix(values.x, values.y, share);
  float color = clamp((value - range.x) / (range.y - range.x), 0.0, 1.0);
  tint = texture(colors, vec2((color * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  gl_PointSize = max(1.0, depth > 0.0 ? size / gl_Position.w : size);
  radius = gl_PointSize;
}`;

export const FRAGMENT = `
uniform float depth;
uniform float cover;                        // 1: opaque
in vec3 tint;
in float radius;
out vec4 color;
void main() {
  vec2 away = 2.0 * gl_PointCoord - 1.0;
  float r2 = dot(away, away);
  if (radius > 2.5 && r2 > 1.0) discard;
  float edge = radius > 2.5 ? 1.0 - smoothstep(0.75, 1.0, r2) : 1.0;
  bool ball = depth > 0.0 && cover == 1.0;
  float light = ball ? 0.62 + 0.38 * sqrt(max(0.0, 1.0 - r2)) - 0.12 * away.y : 1.0;
  float share = ball ? 1.0 : cover < 1.0 && radius > 2.5 ? cover * (1.0 - r2) : cover * edge;
  color = vec4(tint * light * share, share);
}`;
