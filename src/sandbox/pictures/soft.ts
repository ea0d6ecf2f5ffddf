/**
 * Soft edges without a filter: a blur is drawn anew by the processor each time the picture is, and costs ten times the
 * rest of it. What is soft is layers of thin colour instead, each a little narrower than the one below.
 */

export interface SoftStroke {
  readonly colour: string;
  /** Of the stroke before it is softened. */
  readonly width: number;
  /** The standard deviation of the blur that it looks like. */
  readonly blur: number;
  readonly opacity: number;
}

/** A step between two layers that is not seen as one. */
const STEP_OPACITY = 0.035;
/** The wider a blur is, the more its steps would be seen. */
const BLUR_OF_A_LAYER = 5;
const MAX_LAYERS = 5;

/** A line, or several in one path, as if seen out of focus. */
export function softStroke(path: string, { colour, width, blur, opacity }: SoftStroke): string {
  const spread = Math.sqrt(blur ** 2 + width ** 2 / 12);
  const peak = opacity * Math.tanh((0.8 * width) / (blur * Math.SQRT2));
  const count = Math.min(
    MAX_LAYERS,
    Math.max(Math.round(blur / BLUR_OF_A_LAYER), Math.round(peak / STEP_OPACITY)),
  );
  const each = layerOpacity(peak, count);
  const layers = Array.from({ length: count }, (_unused, layer) => {
    const radius = spread * Math.sqrt(-2 * Math.log((layer + 0.5) / count));
    return `<path d="${path}" stroke-width="${(radius * 2).toFixed(1)}"/>`;
  });
  return `<g fill="none" stroke="${colour}" stroke-opacity="${each}" stroke-linecap="round">${layers.join("")}</g>`;
}

/** Turns that never meet again. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** Where the copies of an area lie around it, in deviations of the blur: as a lamp that is no point casts shadows. */
const COPIES = Array.from({ length: 8 }, (_unused, copy) => {
  const radius = 1.9 * Math.sqrt((copy + 0.5) / 8);
  const turn = copy * GOLDEN_ANGLE;
  return { x: radius * Math.cos(turn), y: radius * Math.sin(turn) };
});

export interface SoftArea {
  readonly id: string;
  readonly colour: string;
  readonly blur: number;
  readonly opacity: number;
}

/**
 * Areas as if seen out of focus.
 * @param drawn the areas as elements that leave their colour open
 */
export function softArea(drawn: string, { id, colour, blur, opacity }: SoftArea): string {
  const each = layerOpacity(opacity, COPIES.length);
  const copies = COPIES.map(
    ({ x, y }) => `<use href="#${id}" x="${(x * blur).toFixed(1)}" y="${(y * blur).toFixed(1)}"/>`,
  );
  return `<defs><g id="${id}" fill="${colour}" fill-opacity="${each}" fill-rule="evenodd" stroke="${colour}" stroke-opacity="${each}" stroke-width="0">${drawn}</g></defs>${copies.join("")}`;
}

/** What each layer must have so that all of them together have this. */
function layerOpacity(opacity: number, count: number): string {
  return (1 - (1 - opacity) ** (1 / count)).toFixed(3);
}
