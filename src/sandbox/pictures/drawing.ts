import { readFileSync } from "node:fs";
import type { Draws } from "../world/draws.ts";
import type { Shape } from "../world/kinds.ts";

/** The drawing of an item on a canvas of 600 × 800, without lighting. Later pieces cover earlier ones. */
export interface Drawing {
  readonly pieces: readonly Piece[];
  /** One path of all folds of the cloth, drawn as soft shadow and light; empty for none. */
  readonly folds: string;
  /** One path of all seams and edges, drawn as thin lines. */
  readonly seams: string;
  /** One path of all topstitching, drawn dashed. */
  readonly stitches: string;
  /** Small parts such as buttons. */
  readonly details: readonly Piece[];
  /** How it can be photographed. */
  readonly placings: readonly Placing[];
  /** When set, pieces are drawn as strokes of this width. */
  readonly strokeWidth: number | null;
  /** The shoulder level, for a hanger. */
  readonly shoulderY: number | null;
  /** Its lowest point when standing. */
  readonly groundY: number;
}

/** Lying, hanging or standing. */
export type Placing = "flat" | "hung" | "stood";

export interface Piece {
  readonly path: string;
  readonly tone: Tone;
  /** Covered with the fabric's pattern. */
  readonly isPatterned: boolean;
}

const TONES = [
  "main",
  "second",
  "deep",
  "pale",
  "inside",
  "white",
  "ink",
  "metal",
  "gold",
  "wood",
  "rubber",
  "glass",
] as const;

/** A colour of the item's palette or of a common material, or a literal colour. */
export type Tone = (typeof TONES)[number] | `#${string}`;

/**
 * One of the variants of a shape. Each shape is a file `shapes/NAME.svg` with its variants side by side as
 * `<g class="variant">`: paths of a tone, of `folds`, `seams` or `stitches`, and a group of details.
 */
export function drawShape(shape: Shape, draws: Draws): Drawing {
  const variants = templates.get(shape) ?? readTemplate(shape);
  templates.set(shape, variants);
  const [only] = variants;
  return variants.length === 1 && only !== undefined ? only : draws.pick(variants);
}

const templates = new Map<Shape, readonly Drawing[]>();

/** @throws when a template holds anything but what `drawShape` describes */
export function readTemplate(shape: Shape): readonly Drawing[] {
  const name = shape.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const svg = readFileSync(new URL(`shapes/${name}.svg`, import.meta.url), "utf8");
  const [, ...variants] = svg.split('<g class="variant"');
  if (variants.length === 0) throw new Error(`${name}.svg has no variant`);
  return variants.map(readVariant);
}

function readVariant(text: string): Drawing {
  const [head = "", ...rest] = text.split(">\n");
  const body = rest.join(">\n");
  const [outer = "", inner = ""] = body.split('<g class="details">');
  const attributes = attributesOf(head);
  const paths = pathsIn(outer);
  const lines = (name: string): string => paths.find((path) => path["class"] === name)?.["d"] ?? "";
  return {
    pieces: paths.filter(({ class: name = "" }) => !LINES.has(name)).map(toPiece),
    folds: lines("folds"),
    seams: lines("seams"),
    stitches: lines("stitches"),
    details: pathsIn(inner).map(toPiece),
    placings: (attributes["data-placings"] ?? "").split(" ").map(toPlacing),
    strokeWidth: numberOrNull(attributes["data-stroke-width"]),
    shoulderY: numberOrNull(attributes["data-shoulder-y"]),
    groundY: numberOrNull(attributes["data-ground-y"]) ?? DEFAULT_GROUND_Y,
  };
}

const LINES: ReadonlySet<string> = new Set(["folds", "seams", "stitches"]);
const DEFAULT_GROUND_Y = 640;

type Attributes = Readonly<Record<string, string>>;

function pathsIn(text: string): readonly Attributes[] {
  return [...text.matchAll(/<path ([^>]*)\/>/g)].map(([, attributes = ""]) => attributesOf(attributes));
}

function attributesOf(tag: string): Attributes {
  const pairs = [...tag.matchAll(/([\w-]+)="([^"]*)"/g)];
  return Object.fromEntries(pairs.map(([, name = "", value = ""]): [string, string] => [name, value]));
}

function toPiece({ class: names = "", fill, d: path = "" }: Attributes): Piece {
  const words = names.split(" ");
  const tone = TONES.find((candidate) => words.includes(candidate));
  if (tone !== undefined) return { path, tone, isPatterned: words.includes("cloth") };
  if (fill?.startsWith("#") !== true) throw new Error(`a path without a tone: ${path}`);
  return { path, tone: `#${fill.slice(1)}`, isPatterned: words.includes("cloth") };
}

function toPlacing(text: string): Placing {
  if (text !== "flat" && text !== "hung" && text !== "stood") throw new Error(`an unknown placing: ${text}`);
  return text;
}

function numberOrNull(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}
