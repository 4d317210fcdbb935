/** Schemas of the server's responses; every response is validated on arrival. */

import * as v from "valibot";

export type JsonValue = string | number | boolean | JsonValue[] | { [key: string]: JsonValue };

const jsonValueSchema: v.GenericSchema<JsonValue> = v.lazy(() =>
  v.union([v.string(), v.number(), v.boolean(), v.array(jsonValueSchema), v.record(v.string(), jsonValueSchema)]),
);
const numbers = v.array(v.number());
const record = v.record(v.string(), v.unknown());

export const problemSchema = v.object({
  line: v.nullish(v.number()),
  path: v.nullish(v.array(v.union([v.string(), v.number()]))),
  message: v.string(),
  remedy: v.nullish(v.string()),
});
export type Problem = v.InferOutput<typeof problemSchema>;
export const problemsSchema = v.object({ problems: v.array(problemSchema) });

export const versionSchema = v.object({ eddyline: v.string(), schema_version: v.number() });

export const galleryWorldSchema = v.object({
  name: v.string(),
  title: v.string(),
  about: v.string(),
  look_for: v.string(),
  predict: v.string(),
  try: v.string(),
  expected: v.string(),
  toml: v.string(),
  dimensions: v.number(),
  method: v.string(),
});
export type GalleryWorld = v.InferOutput<typeof galleryWorldSchema>;
export const gallerySchema = v.array(galleryWorldSchema);

const summarySchema = v.object({
  particles: v.number(),
  wall_particles: v.number(),
  members: v.optional(v.string(), "particles"),
  spacing: v.number(),
  time_step: v.number(),
  steps: v.number(),
  end: v.number(),
  time_unit: v.optional(v.string(), "s"),
  reynolds: v.nullable(v.number()),
  mach: v.nullable(v.number()),
  max_speed: v.number(),
  sound_speed: v.number(),
  seconds: v.number(),
  seconds_after: v.number(),
  cores: v.number(),
  memory_bytes: v.number(),
  disk_bytes: v.number(),
  device: v.string(),
  devices: v.array(v.string()),
  notes: v.array(v.string()),
});
export type Summary = v.InferOutput<typeof summarySchema>;

const sideSchema = v.object({ name: v.string(), type: v.string(), slip: v.boolean() });
export type Side = v.InferOutput<typeof sideSchema>;

const shapeSchema = v.object({
  name: v.string(),
  shape: v.string(),
  written: record,
  numbers: record,
  in_reference: record,
  outlines: v.array(v.array(numbers)),
  moves: v.boolean(),
  slip: v.boolean(),
  drawn: v.optional(v.boolean(), true),
});
export type Shape = v.InferOutput<typeof shapeSchema>;

const markerSchema = v.object({ name: v.string(), type: v.string(), written: record, numbers: record, drawn: v.optional(v.boolean(), true) });
export type Marker = v.InferOutput<typeof markerSchema>;

const gapSchema = v.object({
  between: v.array(v.string()),
  width: v.number(),
  spacings: v.number(),
  ends: v.array(numbers),
  reason: v.string(),
});
export type Gap = v.InferOutput<typeof gapSchema>;

const drawingSchema = v.object({
  dimensions: v.number(),
  origin: numbers,
  size: numbers,
  spacing: v.number(),
  sides: v.array(sideSchema),
  bodies: v.array(shapeSchema),
  regions: v.array(shapeSchema),
  openings: v.array(markerSchema),
  observers: v.array(markerSchema),
});
export type Drawing = v.InferOutput<typeof drawingSchema>;

const regimeSchema = v.object({
  name: v.string(),
  path: v.array(v.string()),
  value: v.number(),
  low: v.number(),
  high: v.number(),
  marks: v.array(v.object({ value: v.number(), text: v.string() })),
});
export type Regime = v.InferOutput<typeof regimeSchema>;

export const checkSchema = v.object({
  problems: v.array(problemSchema),
  summary: v.nullable(summarySchema),
  drawing: v.nullable(drawingSchema),
  gaps: v.array(gapSchema),
  quantities: v.array(v.object({ name: v.string(), label: v.string(), unit: v.string(), diverging: v.boolean() })),
  quantity: v.nullable(v.string()),
  reference: v.nullable(v.object({ velocity: v.number(), length: v.number(), name: v.string() })),
  regimes: v.array(regimeSchema),
  title: v.string(),
  toml: v.string(),
});
export type Check = v.InferOutput<typeof checkSchema>;

export const tomlSchema = v.object({ toml: v.string() });

/** A change of a world file. */
export interface Edit {
  readonly op: "set" | "add" | "remove";
  readonly path: readonly (string | number)[];
  readonly value?: JsonValue;
}

export type Quality = "preview" | "study" | "publish";
export const QUALITIES: readonly Quality[] = ["preview", "study", "publish"];

/** The list at `key` if it has at least `count` numbers, else null. */
export function numbersAt(table: Record<string, unknown>, key: string, count = 2): number[] | null {
  const value = table[key];
  return Array.isArray(value) && value.length >= count && value.every((item) => typeof item === "number") ? value : null;
}

export function numberAt(table: Record<string, unknown>, key: string): number | null {
  const value = table[key];
  return typeof value === "number" ? value : null;
}
