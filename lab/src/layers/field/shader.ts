/** Draws two rasters of quantised values, blended in time. Cells without fluid are left out of the interpolation. */

export const VERTEX = `
uniform vec4 box;      // lower and upper corner in clip coordinates
out vec2 uv;           // position in the raster, 0 to 1
void main() {
  uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  gl_Position = vec4(mix(box.xy, box.zw, uv), 0.0, 1.0);
}`;

export const FRAGMENT = `
uniform highp usampler2D before, after;
uniform sampler2D colors;
uniform vec2 codingBefore, codingAfter;   // offset and scale of the codes
uniform uvec2 maxValueCode;               // the highest codes that are values
uniform float blend;                      // 0: before, 1: after
uniform vec2 range;                       // values of the first and the last colour
uniform float colorSteps;                 // filled contours: number of steps, 0 for none
uniform float contourLines;               // 1: draw contour lines of a diverging quantity
uniform vec4 lineColor;
uniform float pixel;                      // device pixels per CSS pixel
uniform float fillsDomain;                // 1: fluid everywhere except in bodies, which are drawn on top
uniform sampler2D fluidBefore, fluidAfter;
uniform float hasFluidFraction;           // 1: the fluid ends where its fraction is 1/2
in vec2 uv;
out vec4 color;

// Bilinear interpolation: (value, share of the four cells that is fluid).
vec2 interpolate(highp usampler2D raster, vec2 coding, uint maxCode) {
  ivec2 size = textureSize(raster, 0);
  vec2 at = uv * vec2(size) - 0.5;
  ivec2 low = ivec2(floor(at));
  vec2 share = at - vec2(low);
  float sum = 0.0, weight = 0.0;
  for (int k = 0; k < 4; k++) {
    ivec2 offset = ivec2(k & 1, k >> 1);
    uint code = texelFetch(raster, clamp(low + offset, ivec2(0), size - 1), 0).r;
    vec2 side = mix(1.0 - share, share, vec2(offset));
    float w = code > maxCode ? 0.0 : side.x * side.y;
    sum += w * float(code);
    weight += w;
  }
  return vec2(coding.x + coding.y * sum / max(weight, 1e-6), weight);
}

// The code of a cell; of one without fluid, the weighted mean of the fluid cells around it: (code, 1 if there is any).
vec2 filled(highp usampler2D raster, ivec2 cell, uint maxCode) {
  ivec2 last = textureSize(raster, 0) - 1;
  uint own = texelFetch(raster, clamp(cell, ivec2(0), last), 0).r;
  if (own <= maxCode) return vec2(float(own), 1.0);
  float sum = 0.0, weight = 0.0;
  for (int k = 0; k < 25; k++) {
    ivec2 offset = ivec2(k % 5, k / 5) - 2;
    uint code = texelFetch(raster, clamp(cell + offset, ivec2(0), last), 0).r;
    float w = code > maxCode ? 0.0 : exp(-1.5 * length(vec2(offset)));
    sum += w * float(code);
    weight += w;
  }
  return vec2(sum / max(weight, 1e-6), weight > 0.0 ? 1.0 : 0.0);
}

// Bilinear interpolation of filled cells, used next to bodies and surfaces: (value, 1 if there is any).
vec2 interpolateFilled(highp usampler2D raster, vec2 coding, uint maxCode) {
  vec2 at = uv * vec2(textureSize(raster, 0)) - 0.5;
  ivec2 low = ivec2(floor(at));
  vec2 share = at - vec2(low);
  float sum = 0.0, weight = 0.0;
  for (int k = 0; k < 4; k++) {
    ivec2 offset = ivec2(k & 1, k >> 1);
    vec2 cell = filled(raster, low + offset, maxCode), side = mix(1.0 - share, share, vec2(offset));
    float w = cell.y * side.x * side.y;
    sum += w * cell.x;
    weight += w;
  }
  return vec2(coding.x + coding.y * sum / max(weight, 1e-6), weight > 0.0 ? 1.0 : 0.0);
}

// Opacity of a contour line; lines below zero are dashed, so that the sign is visible without colour.
float contourLine(float value, float level, float slope) {
  float pixelDistance = abs(value - level) / max(slope, 1e-12);
  float dash = level < 0.0 ? step(0.5, fract((gl_FragCoord.x + gl_FragCoord.y) / (9.0 * pixel))) : 1.0;
  return dash * (1.0 - smoothstep(0.35 * pixel, 1.1 * pixel, pixelDistance));
}

void main() {
  vec2 first = interpolate(before, codingBefore, maxValueCode.x), second = interpolate(after, codingAfter, maxValueCode.y);
  float minWeight = fillsDomain > 0.0 || hasFluidFraction > 0.0 ? 0.999 : 0.0;
  if (first.y < minWeight) first = interpolateFilled(before, codingBefore, maxValueCode.x);
  if (second.y < minWeight) second = interpolateFilled(after, codingAfter, maxValueCode.y);
  float fluid = mix(first.y, second.y, blend);
  float alpha = fluid < 0.5 ? 0.0 : smoothstep(0.5, 0.62, fluid);
  if (hasFluidFraction > 0.0) {
    float fraction = mix(texture(fluidBefore, uv).r, texture(fluidAfter, uv).r, blend);
    alpha = fluid > 0.0 ? clamp(0.5 + (fraction - 0.5) / max(fwidth(fraction), 1e-4), 0.0, 1.0) : 0.0;
  }
  if (alpha == 0.0) discard;
  float value = first.y < 0.01 ? second.x : second.y < 0.01 ? first.x : mix(first.x, second.x, blend);
  float share = clamp((value - range.x) / (range.y - range.x), 0.0, 1.0);
  if (colorSteps > 0.0) share = (min(floor(share * colorSteps), colorSteps - 1.0) + 0.5) / colorSteps;
  color = vec4(texture(colors, vec2((share * 255.0 + 0.5) / 256.0, 0.5)).rgb, alpha);
  if (contourLines > 0.0) {
    float slope = fwidth(value);
    float line = 0.0;
    float high = range.y;
    line = max(line, contourLine(value, 0.15 * high, slope));
    line = max(line, contourLine(value, 0.5 * high, slope));
    line = max(line, contourLine(value, -0.15 * high, slope));
    line = max(line, contourLine(value, -0.5 * high, slope));
    color.rgb = mix(color.rgb, lineColor.rgb, lineColor.a * line);
  }
  color.rgb *= color.a;
}`;
