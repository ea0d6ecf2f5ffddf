import { box, moved, oval, rect, symmetric, type Draw, type Piece } from "../drawing.ts";

/** What is worn on head, neck, hands and wrist. */

export const cap: Draw = (draws) => ({
  pieces: [
    { path: "M150 440C140 300 230 250 312 250C400 250 452 320 450 440Z", tone: "main" },
    {
      path: "M148 436C240 404 380 410 452 440C500 456 548 492 540 512C470 470 260 450 146 462Z",
      tone: "deep",
    },
    {
      path: "M310 252C296 300 292 360 296 414C250 412 190 420 150 438C140 300 230 250 310 252Z",
      tone: "pale",
    },
  ],
  details: [
    { path: oval(310, 250, 11, 7), tone: "second" },
    ...(draws.chance(0.6)
      ? [{ path: box({ x: 350, y: 320, width: 66, height: 52, radius: 8 }), tone: "second" } as const]
      : []),
  ],
  seams: ["M310 252C296 300 292 360 296 414", "M312 252C372 300 392 360 394 420"],
  stitches: ["M170 450C260 424 400 436 520 496"],
  placings: ["stood", "flat"],
  groundY: 506,
});

export const beanie: Draw = (draws) => ({
  pieces: [
    ...(draws.chance(0.6) ? [{ path: oval(300, 224, 58), tone: "second" } as const] : []),
    { path: "M150 480C150 330 214 250 300 250C386 250 450 330 450 480Z", tone: "main", isPatterned: true },
    { path: box({ x: 138, y: 462, width: 324, height: 86, radius: 26 }), tone: "deep", isPatterned: true },
  ],
  seams: [-130, -90, -50, -10, 30, 70, 110].map((x) => `M${310 + x} 470v70`),
  folds: ["M230 300C206 360 196 410 196 460", "M370 300C394 360 404 410 404 460"],
  placings: ["flat"],
});

export const hat: Draw = (draws) => ({
  pieces: [
    { path: oval(300, 500, 226, 62), tone: "main" },
    { path: oval(300, 490, 150, 36), tone: "deep" },
    {
      path: "M168 486C168 380 196 300 250 304C280 306 290 322 300 322C310 322 320 306 350 304C404 300 432 380 432 486C400 520 200 520 168 486Z",
      tone: "main",
    },
    {
      path: "M167 452C220 492 380 492 433 452L433 488C390 524 210 524 167 488Z",
      tone: draws.chance(0.6) ? "ink" : "second",
    },
  ],
  folds: ["M236 330C216 380 210 420 210 450"],
  placings: ["stood", "flat"],
  groundY: 552,
});

export const scarf: Draw = (draws) => ({
  pieces: [
    {
      path: "M196 190C250 150 350 150 404 190C440 240 420 300 372 320C330 336 270 336 228 320C180 300 160 240 196 190Z",
      tone: "main",
      isPatterned: true,
    },
    {
      path: "M246 206C280 190 320 190 354 206C366 236 350 262 300 266C250 262 234 236 246 206Z",
      tone: "inside",
    },
    { path: "M240 312L330 322L306 660L206 652Z", tone: "main", isPatterned: true },
    { path: "M312 318L392 306L420 620L336 636Z", tone: "pale", isPatterned: true },
  ],
  details: [
    ...Array.from({ length: 9 }, (_unused, index): Piece => ({
      path: `M${210 + index * 11} ${652 + index}l-4 38h5l4-38Z`,
      tone: "main",
    })),
    ...Array.from({ length: 8 }, (_unused, index): Piece => ({
      path: `M${340 + index * 10} ${634 - index * 2}l2 36h5l0-37Z`,
      tone: "pale",
    })),
  ],
  folds: [
    "M270 330C262 440 250 540 240 650",
    "M360 330C370 440 376 540 384 620",
    "M210 240C260 300 340 300 390 240",
  ],
  placings: draws.chance(0.5) ? ["flat", "hung"] : ["flat"],
  shoulderY: 160,
});

const GLOVE =
  "M6 240C0 170 0 120 6 60C10 40 32 40 36 60L40 130L44 24C46 4 70 4 72 24L76 128L84 20C88 0 110 2 110 22L108 132L122 50C126 32 146 36 146 54L138 180C136 210 134 226 136 240L128 340H16Z";

export const gloves: Draw = () => {
  return {
    pieces: [
      { path: moved(GLOVE, 140, 236), tone: "main" },
      { path: moved(GLOVE, 310, 262), tone: "main" },
    ],
    details: [
      { path: "M154 540h116l4 40h-122Z", tone: "deep" },
      { path: "M324 566h116l4 40h-122Z", tone: "deep" },
    ],
    seams: ["M196 370v90M226 368v92M254 372v84", "M366 396v90M396 394v92M424 398v84"],
    folds: ["M170 470q50 30 96 4", "M340 496q50 30 96 4"],
    placings: ["flat"],
  };
};

export const glasses: Draw = (draws) => {
  const isRound = draws.chance(0.4);
  const lens = (x: number): string =>
    isRound ? oval(x, 420, 84) : box({ x: x - 92, y: 356, width: 184, height: 128, radius: 48 });
  return {
    pieces: [
      {
        path: "M108 384L70 250C66 236 82 232 88 244L130 372ZM492 384L530 250C534 236 518 232 512 244L470 372Z",
        tone: "deep",
      },
      { path: lens(192), tone: "main" },
      { path: lens(408), tone: "main" },
      { path: "M266 400C286 384 314 384 334 400V420C314 402 286 402 266 420Z", tone: "main" },
    ],
    details: [192, 408].flatMap((x): Piece[] => [
      {
        path: isRound ? oval(x, 420, 70) : box({ x: x - 80, y: 368, width: 160, height: 104, radius: 40 }),
        tone: "#3d3a3c",
      },
      { path: `M${x - 52} 450L${x + 8} 376h26L${x - 26} 458Z`, tone: "#6b686b" },
    ]),
    placings: ["flat"],
  };
};

export const necklace: Draw = (draws) => {
  const chain = "M150 210C130 420 230 560 300 590C370 560 470 420 450 210";
  const metal = draws.chance(0.6) ? "gold" : "metal";
  const pendant: readonly Piece[] = draws.pick<readonly Piece[]>([
    [
      { path: oval(300, 618, 30), tone: metal },
      { path: oval(300, 618, 17), tone: "main" },
    ],
    [
      {
        path: "M300 660C250 622 262 586 286 592C296 594 300 604 300 604C300 604 304 594 314 592C338 586 350 622 300 660Z",
        tone: "main",
      },
    ],
    [150, 200, 250, 300, 350, 400, 450].map((_x, index): Piece => ({
      path: oval(174 + index * 42, 580 - (index - 3) ** 2 * 12, 15),
      tone: "main",
    })),
  ]);
  return {
    pieces: [{ path: chain, tone: metal }],
    strokeWidth: draws.pick([4, 7, 10]),
    details: pendant,
    placings: ["flat"],
  };
};

export const ring: Draw = (draws) => {
  const metal = draws.chance(0.5) ? "gold" : "metal";
  const isBracelet = draws.chance(0.5);
  const radius = isBracelet ? 150 : 88;
  return {
    pieces: [
      {
        path: `${oval(300, 440, radius, radius * 0.86)}${oval(300, 440, radius - 20, (radius - 20) * 0.84)}`,
        tone: metal,
      },
    ],
    details: [
      { path: `M300 ${440 - radius * 0.86 - 46}l34 26-34 36-34-36Z`, tone: "main" },
      { path: `M300 ${440 - radius * 0.86 - 46}l34 26h-68Z`, tone: "pale" },
      ...(isBracelet
        ? [220, 262, 338, 380].map((x): Piece => ({ path: oval(x, 440 + 118, 14), tone: "main" }))
        : []),
    ],
    placings: ["flat"],
  };
};

export const watch: Draw = (draws) => ({
  pieces: [
    {
      path: symmetric("44 120, 52 300, 0 300"),
      tone: "main",
    },
    {
      path: symmetric("52 500, 40 700, 0 704"),
      tone: "main",
    },
    { path: oval(300, 400, 126), tone: draws.chance(0.5) ? "gold" : "metal" },
    { path: rect(424, 384, 26, 32), tone: "metal" },
    { path: oval(300, 400, 104), tone: draws.chance(0.5) ? "white" : "ink" },
  ],
  details: [
    ...Array.from({ length: 12 }, (_unused, hour): Piece => {
      const turn = (hour * Math.PI) / 6;
      return {
        path: oval(Math.round(300 + 86 * Math.sin(turn)), Math.round(400 - 86 * Math.cos(turn)), 5),
        tone: "gold",
      };
    }),
    { path: "M296 404L330 340l6 4-32 64ZM296 396L250 380l-2 7 46 18Z", tone: "metal" },
  ],
  stitches: ["M272 140V290M328 140V290M274 510V690M326 510V690"],
  placings: ["flat"],
});

export const tie: Draw = () => ({
  pieces: [
    { path: "M262 150H338L322 210H278Z", tone: "deep", isPatterned: true },
    { path: "M278 208H322L366 620L300 700L234 620Z", tone: "main", isPatterned: true },
  ],
  folds: ["M290 230C282 400 268 520 262 620"],
  placings: ["flat", "hung"],
  shoulderY: 140,
});

export const umbrella: Draw = () => ({
  pieces: [
    { path: "M294 190h12v410c0 60-84 60-84 4h12c0 38 60 36 60-4Z", tone: "wood" },
    {
      path: "M92 430C100 270 210 200 300 200C390 200 500 270 508 430C470 400 430 400 404 430C372 400 330 400 300 430C270 400 228 400 196 430C170 400 130 400 92 430Z",
      tone: "main",
      isPatterned: true,
    },
  ],
  seams: ["M300 200C240 270 206 340 196 430", "M300 200C360 270 394 340 404 430", "M300 200V430"],
  folds: ["M240 250C190 310 160 370 150 410"],
  placings: ["flat"],
});
