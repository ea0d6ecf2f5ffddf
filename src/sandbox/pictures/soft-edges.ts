/**
 * Soft edges without an SVG filter: browsers rasterise a blur on the CPU at each paint, which costs ten times
 * as much as the rest of the picture. Soft shapes are stacked translucent layers instead.
 */

interface SoftStroke {
  readonly colour: string;
  /** The stroke width before softening. */
  readonly width: number;
  /** The standard deviation of the emulated blur. */
  readonly blur: number;
  readonly opacity: number;
}

/** The largest difference in opacity between layers that is not visible as a step. */
const STEP_OPACITY = 0.035;
/** Wider blurs need more layers. */
const BLUR_OF_A_LAYER = 5;
const MAX_LAYERS = 5;

/** Draws a path as a soft line. */
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

/** Spreads the copies evenly. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** Offsets of the copies of an area, in standard deviations of the blur. */
const COPIES = Array.from({ length: 8 }, (_unused, copy) => {
  const radius = 1.9 * Math.sqrt((copy + 0.5) / 8);
  const turn = copy * GOLDEN_ANGLE;
  return { x: radius * Math.cos(turn), y: radius * Math.sin(turn) };
});

interface SoftArea {
  readonly id: string;
  readonly colour: string;
  readonly blur: number;
  readonly opacity: number;
}

/**
 * Draws areas with soft edges.
 * @param drawn elements without a colour of their own
 */
export function softArea(drawn: string, { id, colour, blur, opacity }: SoftArea): string {
  const each = layerOpacity(opacity, COPIES.length);
  const copies = COPIES.map(
    ({ x, y }) => `<use href="#${id}" x="${(x * blur).toFixed(1)}" y="${(y * blur).toFixed(1)}"/>`,
  );
  return `<defs><g id="${id}" fill="${colour}" fill-opacity="${each}" fill-rule="evenodd" stroke="${colour}" stroke-opacity="${each}" stroke-width="0">${drawn}</g></defs>${copies.join("")}`;
}

/** The opacity of each layer that adds up to this total. */
function layerOpacity(opacity: number, count: number): string {
  return (1 - (1 - opacity) ** (1 / count)).toFixed(3);
}
