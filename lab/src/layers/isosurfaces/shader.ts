/** Shaders of isosurfaces: lit surfaces, the walls of the tank, and water.
 *
 * Distances w are measured along the direction of the camera. Water is drawn in three passes: the scene behind it, the length of
 * each line of sight that lies in water, and the surface itself. A surface is removed where dot(plane.xyz, position) > plane.w. */

import { ATTRIBUTE_DECLARATIONS } from "./buffer";

export const SURFACE_VERTEX = `${ATTRIBUTE_DECLARATIONS}
uniform mat4 view;    // world to clip coordinates
out vec3 position;
out vec3 normal;
out float value;
void main() {
  position = vertexPosition;
  normal = vertexNormal;
  value = vertexValue;
  gl_Position = view * vec4(vertexPosition, 1.0);
}`;

/** Colour of a value between the lowest and the highest colour of a surface, on the colour scale of the page. */
const COLOR_OF_VALUE = `
uniform sampler2D colors;
uniform vec2 valueRange;  // lowest and highest value of this surface
uniform vec2 scale;       // ends of the colour scale
vec3 colorOf(float value) {
  float level = clamp((mix(valueRange.x, valueRange.y, value) - scale.x) / (scale.y - scale.x), 0.0, 1.0);
  return texture(colors, vec2((level * 255.0 + 0.5) / 256.0, 0.5)).rgb;
}`;

export const SOLID_FRAGMENT = `${COLOR_OF_VALUE}
uniform vec3 eye;
uniform vec3 light;       // unit vector towards the light
uniform vec4 plane;
uniform vec3 ownColor;    // colour of a surface without values
uniform float isColored;
uniform float opacity;
in vec3 position;
in vec3 normal;
in float value;
out vec4 color;
void main() {
  if (dot(plane.xyz, position) > plane.w) discard;
  vec3 toEye = normalize(eye - position);
  vec3 n = normalize(normal);
  bool isInner = dot(n, toEye) < 0.0;
  if (isInner) n = -n;
  vec3 base = mix(ownColor, colorOf(value), isColored);
  float diffuse = 0.5 + 0.5 * dot(n, light);
  float facing = dot(n, toEye);
  float shine = pow(max(0.0, dot(n, normalize(light + toEye))), 60.0);
  vec3 lit = base * mix(0.32, 1.12, diffuse * diffuse) * (isInner ? 0.7 : 1.0) + 0.22 * shine;
  float edge = pow(1.0 - facing, 3.0); // a thin shell looks denser where it is seen along its surface
  float alpha = opacity + (1.0 - opacity) * opacity * edge;
  color = vec4(min(lit, 1.0) * alpha, alpha);
}`;

export const ROOM_VERTEX = `
layout(location = 0) in vec3 corner;  // 0 or 1 along each axis
layout(location = 1) in vec3 inward;  // normal of the wall
uniform mat4 view;
uniform vec3 lower, upper;
uniform vec3 eye;
out vec3 position;
flat out vec3 wall;
flat out float isSeen;
void main() {
  position = mix(lower, upper, corner);
  wall = inward;
  isSeen = dot(inward, eye - position);
  gl_Position = view * vec4(position, 1.0);
}`;

export const ROOM_FRAGMENT = `
uniform vec3 groundColor, lineColor;
uniform vec3 lower;
uniform float tile;   // length of a tile [m]
in vec3 position;
flat in vec3 wall;
flat in float isSeen;
out vec4 color;
void main() {
  if (isSeen <= 0.0) discard;
  vec3 cell = (position - lower) / tile;
  vec3 toLine = abs(fract(cell - 0.5) - 0.5) / max(fwidth(cell), 1e-6);
  vec3 lines = (1.0 - clamp(toLine, 0.0, 1.0)) * (1.0 - abs(wall)); // none across the wall's own axis
  float line = max(lines.x, max(lines.y, lines.z));
  color = vec4(mix(groundColor * (wall.y > 0.5 ? 1.0 : 0.94), lineColor, line), 1.0);
}`;

const DISTANCE = `
uniform sampler2D depths;      // depth of the scene behind the water
uniform vec2 depthTerms;       // z = -depthTerms.x w + depthTerms.y
float distanceAt(ivec2 pixel) {
  return depthTerms.y / (2.0 * texelFetch(depths, pixel, 0).r - 1.0 + depthTerms.x);
}`;

/** Part of the line of sight that the plane keeps, and that is in front of the scene, as an interval of w. */
const KEPT_INTERVAL = `${DISTANCE}
uniform vec3 eye;
uniform vec4 plane;
vec2 keptInterval(vec3 perUnit) {  // perUnit: line of sight per unit of w
  vec2 kept = vec2(0.0, distanceAt(ivec2(gl_FragCoord.xy)));
  float slope = dot(plane.xyz, perUnit);
  float height = plane.w - dot(plane.xyz, eye);
  if (slope > 0.0) kept.y = min(kept.y, height / slope);
  else if (slope < 0.0) kept.x = max(kept.x, height / slope);
  else if (height < 0.0) kept.y = 0.0;
  return kept;
}`;

/** Adds the length of the line of sight in water [w], and the number of water layers in which the kept part begins. */
export const THICKNESS_FRAGMENT = `${KEPT_INTERVAL}
in vec3 position;
in vec3 normal;
in float value;
out vec4 sum;
void main() {
  float w = 1.0 / gl_FragCoord.w;
  vec2 kept = keptInterval((position - eye) / w);
  float sign = gl_FrontFacing ? -1.0 : 1.0;
  float length = max(0.0, kept.y - kept.x);
  sum = vec4(sign * clamp(w - kept.x, 0.0, length), w > kept.x ? sign : 0.0, 0.0, 0.0);
}`;

const WATER = `${KEPT_INTERVAL}
${COLOR_OF_VALUE}
uniform sampler2D scene;       // colour of the scene behind the water, premultiplied
uniform sampler2D thickness;
uniform mat4 view;
uniform vec3 light;
uniform vec3 ground, tile;     // colours behind the scene, and of the walls
uniform vec3 absorption;       // [1/m]
uniform vec3 deepColor;
uniform vec3 horizon, zenith;  // colours of the sky
uniform float isColored;
uniform float presence;        // 1: fully drawn
uniform vec2 size;             // of the canvas [device pixels]

const float RATIO = 1.0 / 1.333; // of the refractive indices of air and water

vec3 behind(vec2 at) {
  vec4 seen = texture(scene, at);
  return seen.rgb + ground * (1.0 - seen.a);
}

vec3 sky(vec3 direction) {
  float up = direction.y;
  vec3 upper = mix(horizon, zenith, smoothstep(0.0, 0.9, up));
  return up >= 0.0 ? upper : mix(horizon, tile, smoothstep(0.0, 0.35, -up));
}

vec4 water(vec3 position, vec3 n, float w, float value) {
  vec3 along = normalize(position - eye);
  vec2 here = gl_FragCoord.xy / size;
  float length = max(0.0, texelFetch(thickness, ivec2(gl_FragCoord.xy), 0).r) * distance(position, eye) / w;
  vec3 bent = refract(along, n, RATIO);
  vec4 exit = view * vec4(position + bent * length, 1.0);
  vec2 there = exit.xy / exit.w * 0.5 + 0.5;
  bool isVisible = all(greaterThan(there, vec2(0.0))) && all(lessThan(there, vec2(1.0))) && distanceAt(ivec2(there * size)) > w;
  vec3 transmitted = behind(isVisible ? there : here);
  float diffuse = 0.5 + 0.5 * dot(n, light);
  vec3 body = mix(deepColor, colorOf(value), isColored) * mix(0.55, 1.1, diffuse);
  vec3 share = exp(-absorption * length) * mix(vec3(1.0), vec3(0.3), isColored);
  vec3 inside = mix(body, transmitted, share);
  float facing = clamp(-dot(along, n), 0.0, 1.0);
  float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
  vec3 mirrored = reflect(along, n);
  float shine = pow(max(0.0, dot(mirrored, light)), 180.0) / (1.0 + 20.0 * dot(fwidth(n), vec3(1.0))); // edges would glitter
  return vec4(min(mix(inside, sky(mirrored), fresnel) + 0.45 * shine, 1.0), 1.0) * presence;
}`;

export const WATER_FRAGMENT = `${WATER}
in vec3 position;
in vec3 normal;
in float value;
out vec4 color;
void main() {
  if (dot(plane.xyz, position) > plane.w) discard;
  vec3 n = normalize(normal);
  vec3 along = normalize(position - eye);
  float facing = dot(n, along);
  if (facing > -0.02) n = normalize(n - (facing + 0.02) * along); // a mean normal may point away at the edge
  color = water(position, n, 1.0 / gl_FragCoord.w, value);
}`;

export const SCREEN_VERTEX = `
uniform mat4 inverseView;
out vec3 target;          // a point on the line of sight [m]
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
  vec4 at = inverseView * vec4(corner, 0.0, 1.0);
  target = at.xyz / at.w;
}`;

/** Water where the kept part of the line of sight begins inside it: cut by the plane, or around the camera. */
export const CAP_FRAGMENT = `${WATER}
uniform vec3 forward;     // direction of the camera
in vec3 target;
out vec4 color;
void main() {
  if (texelFetch(thickness, ivec2(gl_FragCoord.xy), 0).g < 0.5) discard;
  vec3 along = normalize(target - eye);
  vec3 perUnit = along / dot(along, forward);
  vec2 kept = keptInterval(perUnit);
  if (kept.x >= kept.y) discard;
  float w = max(kept.x, 1e-4);
  vec3 n = kept.x > 0.0 ? plane.xyz : -along;
  if (dot(n, along) > 0.0) n = -n;
  color = water(eye + w * perUnit, n, w, 0.5);
  gl_FragDepth = clamp(0.5 * (depthTerms.y / w - depthTerms.x) + 0.5, 0.0, 1.0);
}`;
