/** The figures of the interface beside their bars. */
export interface Figure {
  readonly name: string;
  /** Null where it could not be taken, which counts as missed. */
  readonly value: number | null;
  readonly unit: string;
  readonly bar: { readonly atMost: number } | { readonly atLeast: number };
  /** What a person needs to know to mend it. */
  readonly details?: readonly string[];
}

function isMet({ value, bar }: Figure): boolean {
  if (value === null) return false;
  return "atMost" in bar ? value <= bar.atMost : value >= bar.atLeast;
}

/** Prints one figure as a line, and what is wrong below it; answers whether its bar is met. */
export function printFigure(figure: Figure): boolean {
  const { name, value, unit, bar, details = [] } = figure;
  const limit = "atMost" in bar ? `≤ ${bar.atMost}` : `≥ ${bar.atLeast}`;
  const isGood = isMet(figure);
  const shown = value === null ? "not taken" : `${Number(value.toFixed(1))} ${unit}`.trim();
  process.stdout.write(`${isGood ? "met   " : "MISSED"}  ${name.padEnd(58)} ${shown.padEnd(14)} ${limit}\n`);
  for (const detail of details) process.stdout.write(`        ${detail}\n`);
  return isGood;
}
