/** Shades closed surfaces of one colour with diffuse light. */

export const VERTEX = `
layout(location = 0) in vec3 position;  // [m]
layout(location = 1) in vec3 surfaceNormal;
uniform mat4 view;    // world to clip coordinates
out vec3 normal;
void main() {
  normal = surfaceNormal;
  gl_Position = view * vec4(position, 1.0);
}`;

export const FRAGMENT = `
uniform vec3 light;   // unit vector towards the light
uniform vec3 bodyColor;
in vec3 normal;
out vec4 color;
void main() {
  float brightness = 0.5 + 0.5 * dot(normalize(normal), light);
  color = vec4(min(bodyColor * mix(0.3, 1.25, brightness), 1.0), 1.0);
}`;
