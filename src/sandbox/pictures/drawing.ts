import type { Draws } from "../world/draws.ts";

/** The drawing of an item on a canvas of 600 × 800, without lighting. Later pieces cover earlier ones. */
export interface Drawing {
  readonly pieces: readonly Piece[];
  /** Folds of the cloth, drawn as soft shadow and light. */
  readonly folds?: readonly string[];
  /** Seams and edges, drawn as thin lines. */
  readonly seams?: readonly string[];
  /** Topstitching, drawn dashed. */
  readonly stitches?: readonly string[];
  /** Small parts such as buttons. */
  readonly details?: readonly Piece[];
  /** How it can be photographed. */
  readonly placings: readonly Placing[];
  /** When set, pieces are drawn as strokes of this width. */
  readonly strokeWidth?: number;
  /** The shoulder level, for a hanger. */
  readonly shoulderY?: number;
  /** Its lowest point when standing. */
  readonly groundY?: number;
}

/** Lying, hanging or standing. */
export type Placing = "flat" | "hung" | "stood";

export interface Piece {
  readonly path: string;
  readonly tone: Tone;
  /** Covered with the fabric's pattern. */
  readonly isPatterned?: boolean;
}

/** A colour of the item's palette or of a common material, or a literal colour. */
export type Tone =
  | "main"
  | "second"
  | "deep"
  | "pale"
  | "inside"
  | "white"
  | "ink"
  | "metal"
  | "gold"
  | "wood"
  | "rubber"
  | "glass"
  | `#${string}`;

export type Draw = (draws: Draws) => Drawing;

/** Two numbers are a line's end, six a curve (two control points and the end). */
type Segment = readonly number[];

const MIDDLE_X = 300;

/**
 * The closed outline of a symmetric shape, given its right half from top to bottom.
 * @param half "x y, x y, x1 y1 x2 y2 x y, …": the start, then lines and curves; x is relative to the middle
 * @param neckY the control point of the curve that joins both halves at the top; a straight line by default
 */
export function symmetric(half: string, neckY?: number): string {
  const segments = readHalf(half);
  const right = segments.map((segment, index) => command(segment, index, 1)).join("");
  const [endX, endY] = endOf(segments.at(-1));
  const left = reversed(segments)
    .map((segment, index) => command(segment, index + 1, -1))
    .join("");
  const [startX, startY] = endOf(segments[0]);
  const closing = neckY === undefined ? "Z" : `Q${MIDDLE_X} ${neckY} ${MIDDLE_X + startX} ${startY}Z`;
  return `${right}L${MIDDLE_X - endX} ${endY}${left}${closing}`;
}

/** The path and its mirror image, in the notation of `symmetric`. */
export function bothSides(half: string, isClosed = true): string {
  const segments = readHalf(half);
  return [1, -1]
    .map(
      (side) =>
        `${segments.map((segment, index) => command(segment, index, side)).join("")}${isClosed ? "Z" : ""}`,
    )
    .join("");
}

function readHalf(text: string): readonly Segment[] {
  return text.split(",").map((segment) => segment.trim().split(/\s+/).map(Number));
}

function command(segment: Segment, index: number, side: number): string {
  const placed = segment.map((value, at) => (at % 2 === 0 ? MIDDLE_X + side * value : value));
  return `${index === 0 ? "M" : segment.length === 2 ? "L" : "C"}${placed.map(short).join(" ")}`;
}

/** Rounds to a tenth of a pixel. */
function short(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The same segments traversed backwards. */
function reversed(segments: readonly Segment[]): readonly Segment[] {
  const back = segments.map((segment, index): Segment => {
    const [x, y] = endOf(segments[index - 1]);
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = segment;
    return segment.length === 2 ? [x, y] : [x2, y2, x1, y1, x, y];
  });
  return back.slice(1).toReversed();
}

function endOf(segment: Segment = [0, 0]): readonly [number, number] {
  return [segment.at(-2) ?? 0, segment.at(-1) ?? 0];
}

export function rect(x: number, y: number, width: number, height: number): string {
  return `M${x} ${y}h${width}v${height}h${-width}Z`;
}

/** A rectangle with rounded corners. */
export function box(place: { x: number; y: number; width: number; height: number; radius: number }): string {
  const { x, y, width, height, radius: r } = place;
  const corner = (dx: number, dy: number): string => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
  return `M${x + r} ${y}h${width - 2 * r}${corner(r, r)}v${height - 2 * r}${corner(-r, r)}h${2 * r - width}${corner(-r, -r)}v${2 * r - height}${corner(r, -r)}Z`;
}

export function oval(x: number, y: number, radiusX: number, radiusY = radiusX): string {
  return `M${x - radiusX} ${y}a${radiusX} ${radiusY} 0 1 0 ${2 * radiusX} 0a${radiusX} ${radiusY} 0 1 0 ${-2 * radiusX} 0Z`;
}

/** Translates a path. Only absolute commands change, relative ones follow. */
export function moved(path: string, x: number, y: number): string {
  return path.replaceAll(/([MLCQHV])([^A-Za-z]+)/g, (_all, letter: string, text: string) => {
    const numbers = text
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    const isVertical = (index: number): boolean =>
      letter === "H" ? false : letter === "V" || index % 2 === 1;
    return `${letter}${numbers.map((value, index) => short(value + (isVertical(index) ? y : x))).join(" ")}`;
  });
}
