/** Aligned rows of cells; the first row is the heading. */
export function textTable(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** "2026-11-20 14:05 UTC" */
export function utcText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Removes control characters and escape sequences from foreign text. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, "?");
}
