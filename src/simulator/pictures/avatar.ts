export function drawAvatar(seed: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="hsl(${seed % 360} 40% 70%)"/></svg>`;
}
