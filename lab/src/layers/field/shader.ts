/** Two rasters of codes, blended in time; pixels without fluid are left out of the interpolation. */

export const VERTEX = `
uniform vec4 box;      // lower and upper corner in clip coordinates
out vec2 place;        // share of the raster
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  place = corner;
  gl_Position = vec4(mix(box.xy, box.zw, corner), 0.0, 1.0);
}`;

export const FRAGMENT = `
uniform highp usampler2D before, after;
uniform sampler2D colors;
uniform vec2 decodeBefore, decodeAfter;   // offset, scale
uniform uvec2 top;                        // highest codes that are values
uniform float blend;                      // 0: before, 1: after
uniform vec2 range;                       // values of the first and last colour
uniform float bands;                      // filled contours: number of steps, 0 for none
uniform float lines;                      // 1: lines at levels of a diverging quantity
uniform vec4 ink;
uniform float pixel;                      // device pixels of a CSS pixel
uniform float full;                       // 1: fluid everywhere but in bodies, which are drawn above
uniform sampler2D coverBefore, coverAfter;
uniform float covered;                    // 1: covers say where the fluid ends
in vec2 place;
out vec4 color;

// (value, share of fluid) of a raster at the place
vec2 read(highp usampler2D raster, vec2 decode, uint highest) {
  ivec2 size = textureSize(raster, 0);
  vec2 at = place * vec2(size) - 0.5;
  ivec2 low = ivec2(floor(at));
  vec2 share = at - vec2(low);
  float sum = 0.0, weight = 0.0;
  for (int k = 0; k < 4; k++) {
    ivec2 step = ivec2(k & 1, k >> 1);
    uint code = texelFetch(raster, clamp(low + step, ivec2(0), size - 1), 0).r;
    vec2 side = mix(1.0 - share, share, vec2(step));
    float w = code > highest ? 0.0 : side.x * side.y;
    sum += w * float(code);
    weight += w;
  }
  return vec2(decode.x + decode.y * sum / max(weight, 1e-6), weight);
}

// The mean of the fluid around the place: what stands next to a body.
vec2 around(highp usampler2D raster, vec2 decode, uint highest) {
  ivec2 size = textureSize(raster, 0);
  ivec2 low = ivec2(floor(place * vec2(size) - 0.5));
  float sum = 0.0, weight = 0.0;
  for (int k = 0; k < 36; k++) {
    ivec2 cell = low + ivec2(k % 6, k / 6) - 2;
    uint code = texelFetch(raster, clamp(cell, ivec2(0), size - 1), 0).r;
    float away = distance(vec2(cell) + 0.5, place * vec2(size));
    float w = code > highest ? 0.0 : exp(-1.5 * away);
    sum += w * float(code);
    weight += w;
  }
  return vec2(decode.x + decode.y * sum / max(weight, 1e-6), weight > 0.0 ? 1.0 : 0.0);
}

// A line where value passes level; dashed below zero, so that the sign is seen without colour.
float line(float value, float level, float slope) {
  float away = abs(value - level) / max(slope, 1e-12);
  float dash = level < 0.0 ? step(0.5, fract((gl_FragCoord.x + gl_FragCoord.y) / (9.0 * pixel))) : 1.0;
  return dash * (1.0 - smoothstep(0.35 * pixel, 1.1 * pixel, away));
}

void main() {
  vec2 first = read(before, decodeBefore, top.x), second = read(after, decodeAfter, top.y);
  float enough = full > 0.0 ? 0.99 : covered > 0.0 ? 0.25 : 0.0;
  if (first.y < enough) first = around(before, decodeBefore, top.x);
  if (second.y < enough) second = around(after, decodeAfter, top.y);
  float fluid = mix(first.y, second.y, blend);
  float seen = fluid < 0.5 ? 0.0 : smoothstep(0.5, 0.62, fluid);
  if (covered > 0.0) {
    float cover = mix(texture(coverBefore, place).r, texture(coverAfter, place).r, blend);
    seen = fluid > 0.0 ? clamp(0.5 + (cover - 0.5) / max(fwidth(cover), 1e-4), 0.0, 1.0) : 0.0;
  }
  if (seen == 0.0) discard;
  float value = first.y < 0.01 ? second.x : second.y < 0.01 ? first.x : mix(first.x, second.x, blend);
  float share = clamp((value - range.x) / (range.y - range.x), 0.0, 1.0);
  if (bands > 0.0) share = (min(floor(share * bands), bands - 1.0) + 0.5) / bands;
  color = vec4(texture(colors, vec2((share * 255.0 + 0.5) / 256.0, 0.5)).rgb, seen);
  if (lines > 0.0) {
    float slope = fwidth(value);
    float drawn = 0.0;
    float high = range.y;
    drawn = max(drawn, line(value, 0.15 * high, slope));
    drawn = max(drawn, line(value, 0.5 * high, slope));
    drawn = max(drawn, line(value, -0.15 * high, slope));
    drawn = max(drawn, line(value, -0.5 * high, slope));
    color.rgb = mix(color.rgb, ink.rgb, ink.a * drawn);
  }
  color.rgb *= color.a;
}`;
