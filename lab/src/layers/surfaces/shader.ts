/** Closed surfaces of one colour in soft light. */

export const VERTEX = `
layout(location = 0) in vec3 place;    // [m]
layout(location = 1) in vec3 outward;  // normal of the surface
uniform mat4 view;                     // world to clip coordinates
out vec3 normal;
void main() {
  normal = outward;
  gl_Position = view * vec4(place, 1.0);
}`;

export const FRAGMENT = `
uniform vec3 light;  // unit vector towards the light
uniform vec3 ink;
in vec3 normal;
out vec4 color;
void main() {
  float facing = 0.5 + 0.5 * dot(normalize(normal), light);
  color = vec4(min(ink * mix(0.3, 1.25, facing), 1.0), 1.0);
}`;
