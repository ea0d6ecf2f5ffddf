export interface PhotoSubject {
  readonly seed: number;
  readonly leafId: number;
  readonly colourIds: readonly number[];
}

export function drawPhoto({ seed }: PhotoSubject): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 800"><rect width="600" height="800" fill="hsl(${seed % 360} 30% 70%)"/></svg>`;
}
