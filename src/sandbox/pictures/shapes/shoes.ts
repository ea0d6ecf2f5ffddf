import type { Draws } from "../../world/draws.ts";
import { moved, oval, rect, type Draw, type Drawing, type Piece } from "../drawing.ts";

/** Shoes come in pairs, seen from the side: one in front, one a step behind. */

/** One shoe, drawn with its heel at x = 0 and its sole at y = 0, pointing right. */
interface Shoe {
  readonly pieces: readonly Piece[];
  readonly seams?: readonly string[];
  readonly folds?: readonly string[];
}

const FRONT = { x: 92, y: 640 };
const BEHIND = { x: 146, y: 580 };

function pair(shoe: Shoe): Drawing {
  const placed = (at: { x: number; y: number }): Shoe => ({
    pieces: shoe.pieces.map((piece) => ({ ...piece, path: moved(piece.path, at.x, at.y) })),
    seams: (shoe.seams ?? []).map((path) => moved(path, at.x, at.y)),
    folds: (shoe.folds ?? []).map((path) => moved(path, at.x, at.y)),
  });
  const behind = placed(BEHIND);
  const front = placed(FRONT);
  return {
    pieces: [...behind.pieces, ...front.pieces],
    // Of the shoe behind, the front one hides most lines.
    seams: front.seams ?? [],
    folds: front.folds ?? [],
    placings: ["stood"],
    groundY: 648,
  };
}

export const sneakers: Draw = (draws) => {
  const isHigh = draws.chance(0.3);
  const collarY = isHigh ? -250 : -172;
  const sole = draws.whole(30, 46);
  return pair({
    pieces: [
      {
        path: `M14 ${collarY}C60 ${collarY + 22} 100 ${collarY + 18} 128 ${collarY - 12}L146 ${collarY + 10}L150 -120L40 -60Z`,
        tone: "inside",
      },
      {
        path: `M10 -24C0 -80 12 -130 14 ${collarY}C40 ${collarY + 30} 92 ${collarY + 30} 126 ${collarY - 14}C150 ${collarY + 20} 176 -132 214 -112C270 -84 344 -92 366 -44C370 -30 368 -26 366 -22Z`,
        tone: "main",
      },
      {
        path: "M284 -88C334 -88 362 -66 368 -30L366 -22H262C262 -52 266 -74 284 -88Z",
        tone: draws.chance(0.5) ? "white" : "second",
      },
      { path: `M10 -24C2 -70 10 -100 14 -130C48 -124 60 -90 62 -24Z`, tone: "second" },
      ...sideMark(draws),
      { path: `M2 -28C60 -14 300 -14 370 -34C382 -20 382 -6 372 0H12C-2 -4 -4 -16 2 -28Z`, tone: "rubber" },
      {
        path: `M2 ${-sole + 24}C80 ${-sole + 34} 300 ${-sole + 34} 376 ${-sole + 22}L372 0H12Z`,
        tone: draws.chance(0.5) ? "rubber" : "#d8d3c6",
      },
      {
        path: `M126 ${collarY - 10}C150 ${collarY + 20} 178 -134 214 -112L196 -88C160 -104 132 -120 112 ${collarY + 18}Z`,
        tone: "pale",
      },
      ...[0, 1, 2, 3].map((row): Piece => ({
        path: `M${130 + row * 21} ${collarY + 24 + row * (isHigh ? 32 : 15)}l34 -14 5 9 -34 15Z`,
        tone: "white",
      })),
    ],
    seams: ["M62 -28C62 -80 56 -110 40 -124", "M262 -28C262 -54 268 -76 286 -90"],
    folds: ["M210 -108C226 -80 226 -56 216 -40"],
  });
};

function sideMark(draws: Draws): readonly Piece[] {
  const marks: readonly (readonly Piece[])[] = [
    [100, 134, 168].map((x): Piece => ({ path: `M${x} -112l22 2 24 80h-22Z`, tone: "second" })),
    [{ path: "M84 -96C130 -60 200 -70 244 -96C210 -44 130 -26 84 -60Z", tone: "second" }],
    [{ path: oval(150, -70, 26), tone: "second" }],
    [],
  ];
  return draws.pick(marks);
}

export const boots: Draw = (draws) => {
  const top = draws.pick([-260, -300, -430]);
  const hasLaces = draws.chance(0.45);
  return pair({
    pieces: [
      {
        path: `M28 ${top}Q90 ${top + 18} 156 ${top}L152 ${top + 30}Q90 ${top + 44} 32 ${top + 30}Z`,
        tone: "inside",
      },
      {
        path: `M28 ${top}Q90 ${top + 20} 156 ${top}C150 ${top + 90} 154 -160 166 -136C220 -108 300 -106 332 -60C342 -40 340 -30 336 -22H16C6 -90 34 -180 28 ${top}Z`,
        tone: "main",
      },
      { path: "M14 -24C120 -16 260 -18 340 -28L344 -10H116L110 0H20Z", tone: "ink" },
      ...(hasLaces
        ? [0, 1, 2, 3, 4].map((row): Piece => ({
            path: `M${140 - row * 3} ${top + 50 + row * 34}l34 6 0 8-36-6Z`,
            tone: "pale",
          }))
        : [{ path: `M96 ${top + 10}L124 ${top + 10}L128 -120Q110 -104 92 -122Z`, tone: "deep" } as const]),
    ],
    seams: ["M16 -60C40 -70 60 -110 58 -150", "M232 -108C214 -80 214 -50 222 -24"],
    folds: [
      "M60 -150C90 -130 130 -130 160 -146",
      `M64 ${top + 60}C70 ${top + 110} 66 ${top + 160} 60 ${top + 190}`,
    ],
  });
};

export const heels: Draw = (draws) => {
  const height = draws.whole(70, 120);
  return pair({
    pieces: [
      { path: `M16 ${-height - 8}L30 0H48L66 ${-height + 18}Z`, tone: "ink" },
      {
        path: `M10 ${-height - 90}C40 ${-height - 62} 60 ${-height - 44} 150 ${-height - 8}L176 -60L60 ${-height + 4}Z`,
        tone: "inside",
      },
      {
        path: `M8 ${-height - 96}C30 ${-height - 50} 70 ${-height - 44} 120 ${-height - 16}C180 -50 226 -46 262 -72C304 -66 336 -40 352 -14L344 -4C250 4 210 -10 150 -40C110 ${-height + 24} 60 ${-height + 24} 20 ${-height + 10}C2 ${-height - 30} 0 ${-height - 70} 8 ${-height - 96}Z`,
        tone: "main",
      },
      {
        path: `M20 ${-height + 10}C70 ${-height + 22} 116 ${-height + 26} 150 -38C214 -8 256 4 344 -6L346 2C250 12 200 0 148 -26C110 ${-height + 36} 64 ${-height + 32} 22 ${-height + 20}Z`,
        tone: "ink",
      },
      ...(draws.chance(0.4)
        ? [
            {
              path: `M8 ${-height - 80}C60 ${-height - 120} 110 ${-height - 100} 130 ${-height - 60}L122 ${-height - 54}C100 ${-height - 88} 60 ${-height - 104} 14 ${-height - 66}Z`,
              tone: "deep",
            } as const,
          ]
        : []),
    ],
    folds: ["M262 -70C250 -50 250 -34 262 -14"],
  });
};

export const sandals: Draw = (draws) => {
  const sole = draws.whole(22, 58);
  return pair({
    pieces: [
      {
        path: `M4 -${sole}C120 -${sole - 6} 240 -${sole - 4} 356 -${sole}C372 -${sole - 12} 368 0 352 0H20C0 -4 -4 -${sole - 10} 4 -${sole}Z`,
        tone: "wood",
      },
      {
        path: `M2 -${sole + 12}C120 -${sole + 2} 250 -${sole + 2} 360 -${sole + 12}L360 -${sole - 2}C240 -${sole - 8} 120 -${sole - 8} 2 -${sole - 2}Z`,
        tone: "#caa377",
      },
      {
        path: `M210 -${sole + 6}C220 -${sole + 96} 296 -${sole + 104} 340 -${sole + 10}L300 -${sole + 2}C280 -${sole + 52} 258 -${sole + 48} 250 -${sole + 2}Z`,
        tone: "main",
      },
      {
        path: `M16 -${sole + 8}C20 -${sole + 130} 90 -${sole + 140} 148 -${sole + 70}C170 -${sole + 50} 190 -${sole + 20} 196 -${sole + 4}L170 -${sole + 2}C150 -${sole + 60} 60 -${sole + 120} 48 -${sole + 4}Z`,
        tone: "main",
      },
      { path: rect(96, -sole - 118, 22, 24), tone: "gold" },
    ],
  });
};

export const flats: Draw = (draws) =>
  pair({
    pieces: [
      { path: "M12 -110C60 -84 150 -84 214 -96L190 -40H40Z", tone: "inside" },
      {
        path: "M8 -118C30 -76 120 -66 200 -70C226 -104 262 -104 290 -92C340 -72 366 -46 366 -18H12C2 -50 2 -90 8 -118Z",
        tone: "main",
      },
      { path: "M8 -20C120 -10 260 -10 368 -22L370 -4Q366 0 356 0H90L86 6H18Z", tone: "ink" },
      ...(draws.chance(0.5)
        ? [
            {
              path: "M232 -92l-26-16q-10 14 0 26ZM236 -92l26-18q12 14 2 28ZM226 -98h16v14h-16Z",
              tone: "second",
            } as const,
          ]
        : [{ path: "M214 -88L300 -84L296 -66L212 -68Z", tone: "deep" } as const]),
    ],
    seams: ["M200 -70C196 -50 200 -34 208 -20"],
    folds: ["M300 -84C292 -60 294 -40 304 -22"],
  });
