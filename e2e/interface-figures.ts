/** The figures of `npm run interface` and their limits. */
export interface Figure {
  readonly name: string;
  /** Null when it could not be measured, which counts as missed. */
  readonly value: number | null;
  readonly unit: string;
  readonly bar: { readonly atMost: number } | { readonly atLeast: number };
  /** Hints for a fix. */
  readonly details?: readonly string[];
}

function isMet({ value, bar }: Figure): boolean {
  if (value === null) return false;
  return "atMost" in bar ? value <= bar.atMost : value >= bar.atLeast;
}

/** Prints a figure and its details. @returns whether it is within its limit */
export function printFigure(figure: Figure): boolean {
  const { name, value, unit, bar, details = [] } = figure;
  const limit = "atMost" in bar ? `≤ ${bar.atMost}` : `≥ ${bar.atLeast}`;
  const isGood = isMet(figure);
  const shown = value === null ? "not taken" : `${Number(value.toFixed(1))} ${unit}`.trim();
  process.stdout.write(`${isGood ? "met   " : "MISSED"}  ${name.padEnd(58)} ${shown.padEnd(14)} ${limit}\n`);
  for (const detail of details) process.stdout.write(`        ${detail}\n`);
  return isGood;
}
