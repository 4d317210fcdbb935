/** Line icons, 16 x 16. */

const PATHS = {
  select: "M3.5 2l8.5 5.6-4 .8 2.3 4.2-1.8 1-2.3-4.2-2.7 2.8z",
  pan: "M8 1.5v13M1.5 8h13M8 1.5L6.2 3.4M8 1.5l1.8 1.9M8 14.5l-1.8-1.9M8 14.5l1.8-1.9M1.5 8l1.9-1.8M1.5 8l1.9 1.8M14.5 8l-1.9-1.8M14.5 8l-1.9 1.8",
  circle: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11",
  rectangle: "M2.5 4h11v8h-11z",
  polygon: "M8 2l5.5 4.2-2 7.3h-7l-2-7.3z",
  line: "M3 13L13 3M3 13h.01M13 3h.01",
  probe: "M8 1.5v4M8 10.5v4M1.5 8h4M10.5 8h4M8 6.2a1.8 1.8 0 1 0 0 3.6a1.8 1.8 0 1 0 0-3.6",
  undo: "M5.5 3L2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8h-3",
  redo: "M10.5 3l3 3-3 3M13.5 6h-7a4 4 0 0 0 0 8h3",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  close: "M4 4l8 8M12 4l-8 8",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 9h5.8l.6-9",
  play: "M4.5 2.8v10.4l8.2-5.2z",
  pause: "M5 3v10M11 3v10",
  stop: "M3.8 3.8h8.4v8.4H3.8z",
  stepOn: "M4 3v10l6-5zM12 3v10",
  stepBack: "M12 3v10L6 8zM4 3v10",
  sun: "M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z",
  setup: "M2 4.500h6M11.500 4.500H14M9.800 2.800a1.700 1.700 0 1 0 0 3.400a1.700 1.700 0 1 0 0-3.400M2 11.500h2.500M8 11.500h6M6.200 9.800a1.700 1.700 0 1 0 0 3.400a1.700 1.700 0 1 0 0-3.400",
  down: "M4 6l4 4 4-4",
  up: "M4 10l4-4 4 4",
  machine: "M3.5 3.5h9v9h-9zM6 6h4v4H6zM6 1v2.5M10 1v2.5M6 12.5V15M10 12.5V15M1 6h2.5M1 10h2.5M12.5 6H15M12.5 10H15",
  picture: "M2 3h12v10H2zM2 11l3.5-4 3 3 2-2L14 11M11 5.8h.01",
  film: "M2 4h8.5v8H2zM10.5 7L14 5v6l-3.5-2z",
  tracers: "M1.5 5c3-3 5 2.5 8 0s3-2 5-1M1.5 9c3-3 5 2.5 8 0s3-2 5-1M1.5 13c3-3 5 2.5 8 0s3-2 5-1",
  streaks: "M1.5 4.5h4c3 0 3-2.500 5.500-2.500s3 1.500 3.500 2.500M1.500 8H6c2 0 2.500 1.500 4.500 1.500S13 8 14.500 8M1.500 11.500h4c3 0 3 2.500 5.500 2.500s3-1.500 3.500-2.500",
  bands: "M2 3h12v10H2zM5 3v10M8 3v10M11 3v10",
  lines: "M8 2c-4 0-6 3-6 6s3 6 6 6 6-2 6-5-2-7-6-7M8 5.5C6 5.5 5 7 5 8.3S6.300 11 8 11s3-1.200 3-2.700S10 5.500 8 5.500",
  surfaces: "M1.5 6c2-2.500 4-2.500 6.500-.5s4.500 2 6.500-.5M1.500 10c2-2.500 4-2.500 6.500-.5s4.500 2 6.500-.5M1.500 6v4M14.500 5v4.500",
  table: "M2.5 3h11v10h-11zM2.5 6.300h11M2.5 9.700h11M7 3v10",
  grid: "M2.500 2.500h4v4h-4zM9.500 2.500h4v4h-4zM2.500 9.500h4v4h-4zM9.500 9.500h4v4h-4z",
  folder: "M2 4h4.500l1.500 1.500h6V13H2z",
  save: "M8 2v8M4.800 7L8 10.200 11.200 7M2.500 13.500h11",
  open: "M8 10.500V2.500M4.800 5.500L8 2.300l3.200 3.200M2.500 13.500h11",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The logo: an eddy behind a stone. */
export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="2.400" stroke-linecap="round" aria-hidden="true">
      <circle cx="8" cy="16" r="4" fill="currentColor" stroke="none" />
      <path d="M3 8.500c6-3.500 11-1 14 1.500s7 3.500 12 .5" />
      <path d="M16 17.500c0-3.500 5.500-4.500 7.500-1.500s-1 7-5 6.500-6.500-2.500-15.500 1" />
    </svg>
  );
}
