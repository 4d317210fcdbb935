/** Particles as round points, from quantised positions and values. */

export const VERTEX = `
layout(location = 0) in float codeX;
layout(location = 1) in float codeY;
layout(location = 2) in float codeZ;
layout(location = 3) in float code;   // of the value
uniform vec3 origin, pitch;           // position = origin + pitch * code [m]
uniform mat4 view;                    // world to clip coordinates
uniform float size;                   // diameter of a point [device pixels], at distance 1 if depth is on
uniform vec2 decode;                  // offset, scale of codes
uniform vec2 range;
uniform float depth;                  // 1: points get smaller with distance
uniform sampler2D colors;
out vec3 tint;
out float radius;
void main() {
  gl_Position = view * vec4(origin + pitch * vec3(codeX, codeY, codeZ), 1.0);
  float value = decode.x + decode.y * code;
  float place = clamp((value - range.x) / (range.y - range.x), 0.0, 1.0);
  tint = texture(colors, vec2((place * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  gl_PointSize = max(1.0, depth > 0.0 ? size / gl_Position.w : size);
  radius = gl_PointSize;
}`;

export const FRAGMENT = `
uniform float depth;
in vec3 tint;
in float radius;
out vec4 color;
void main() {
  vec2 away = 2.0 * gl_PointCoord - 1.0;
  float r2 = dot(away, away);
  if (radius > 2.5 && r2 > 1.0) discard;
  float edge = radius > 2.5 ? 1.0 - smoothstep(0.75, 1.0, r2) : 1.0;
  float light = depth > 0.0 ? 0.62 + 0.38 * sqrt(max(0.0, 1.0 - r2)) - 0.12 * away.y : 1.0;
  float cover = depth > 0.0 ? 1.0 : edge;
  color = vec4(tint * light * cover, cover);
}`;
