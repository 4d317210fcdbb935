/** Colours in OKLab, where equal distances look equally far apart (Ottosson 2020). */

export type Lab = readonly [lightness: number, a: number, b: number];
export type Rgb = readonly [red: number, green: number, blue: number];

const TO_CONES = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
] as const;

const FROM_CONES = [
  [4.0767416621, -3.3077115913, 0.2309699292],
  [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
] as const;

const TO_LAB = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
] as const;

const FROM_LAB = [
  [1, 0.3963377774, 0.2158037573],
  [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548],
] as const;

type Matrix = readonly (readonly [number, number, number])[];

function times(matrix: Matrix, v: readonly [number, number, number]): [number, number, number] {
  const row = (k: number): number => {
    const m = matrix[k] as readonly [number, number, number];
    return m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
  };
  return [row(0), row(1), row(2)];
}

const linear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const encoded = (c: number): number => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);

/** sRGB, each 0 to 1. */
export function labOf(rgb: Rgb): Lab {
  const cones = times(TO_CONES, [linear(rgb[0]), linear(rgb[1]), linear(rgb[2])]);
  return times(TO_LAB, [Math.cbrt(cones[0]), Math.cbrt(cones[1]), Math.cbrt(cones[2])]);
}

/** sRGB, each 0 to 1; what the screen cannot show is cut off. */
export function rgbOf(lab: Lab): Rgb {
  const [l, m, s] = times(FROM_LAB, lab);
  const light = times(FROM_CONES, [l ** 3, m ** 3, s ** 3]);
  const clip = (c: number): number => Math.min(1, Math.max(0, encoded(Math.max(0, c))));
  return [clip(light[0]), clip(light[1]), clip(light[2])];
}

/** Lightness 0 to 1, chroma from 0 to about 0.3, hue in degrees. */
export function polar(lightness: number, chroma: number, hue: number): Lab {
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

export function distance(p: Lab, q: Lab): number {
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}
