import type { Draws } from "../world/draws.ts";
import type { Tone } from "./drawing.ts";

/** Marketplace colours as they look on photos, less saturated than their swatches. */
const PHOTOGRAPHED: Readonly<Record<number, string>> = {
  1: "#2c2c31",
  2: "#6b4831",
  3: "#8d9096",
  4: "#d3bb98",
  5: "#cc2f79",
  6: "#663d84",
  7: "#bb332c",
  8: "#e8ca4a",
  9: "#3670ad",
  10: "#40864e",
  11: "#e0852f",
  12: "#f1efe9",
  13: "#bfc2c7",
  14: "#b8954a",
  15: "#c4775a",
  16: "#7a754e",
  17: "#5bb1b7",
  20: "#ece2cc",
  21: "#eeb683",
  22: "#e97d65",
  23: "#762436",
  24: "#e8b2b7",
  25: "#bfa2d2",
  26: "#a2c5e2",
  27: "#2c3658",
  28: "#2f5040",
  29: "#ca9936",
  30: "#b0dac3",
  32: "#dde6e8",
};
const ANY_COLOURS = [1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 14, 16, 17, 23, 24, 26, 27, 29] as const;
const UNKNOWN = "#9a896a";

/** The photographed colour of a marketplace colour id, with a fallback for unknown ids. */
export function photographedColour(colourId: number | undefined): string {
  return (colourId === undefined ? undefined : PHOTOGRAPHED[colourId]) ?? UNKNOWN;
}

/** Blues and blacks of cotton twill, washed. */
const DENIM: Readonly<Record<number, string>> = {
  9: "#4f6f96",
  26: "#8fabc8",
  27: "#2f3f5c",
  1: "#313238",
  3: "#7e848c",
};

export interface Palette {
  readonly main: string;
  colourOf(tone: Tone): string;
}

/** The palette of an item: its first colour is the main one, the second the trimming. */
export function paletteOf(colourIds: readonly number[], draws: Draws, isDenim: boolean): Palette {
  const [firstId = draws.pick(ANY_COLOURS), secondId] = colourIds;
  const main = (isDenim ? DENIM[firstId] : undefined) ?? photographedColour(firstId);
  const second = secondId === undefined ? trimming(main) : photographedColour(secondId);
  const tones: Readonly<Record<string, string>> = {
    main,
    second,
    deep: mixed(main, "#16131a", 0.32),
    pale: mixed(main, "#ffffff", 0.38),
    inside: mixed(main, "#16131a", 0.5),
    white: "#f4f2ed",
    ink: "#2a292d",
    metal: "#b9bcc2",
    gold: "#c3a055",
    wood: "#b98a58",
    rubber: "#e9e5da",
    glass: "#c9dadd",
  };
  return { main, colourOf: (tone) => tones[tone] ?? tone };
}

/** Dark items get a light trimming and light items a dark one. */
function trimming(main: string): string {
  return luminanceOf(main) > 0.62 ? mixed(main, "#4b3b33", 0.42) : mixed(main, "#fbf7ee", 0.72);
}

/** Mixes the second colour into the first by a share from 0 to 1. */
export function mixed(first: string, second: string, share: number): string {
  const channels = [1, 3, 5].map((at) => {
    const from = Number.parseInt(first.slice(at, at + 2), 16);
    const to = Number.parseInt(second.slice(at, at + 2), 16);
    return Math.round(from + (to - from) * share)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${channels.join("")}`;
}

/** 0 for black, 1 for white. */
export function luminanceOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
    (at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255,
  );
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
