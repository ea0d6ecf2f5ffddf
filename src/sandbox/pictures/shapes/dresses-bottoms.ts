import { bothSides, oval, rect, symmetric, type Draw, type Piece } from "../drawing.ts";

/** Dresses, skirts and trousers. */

export const dress: Draw = (draws) => {
  const hemY = draws.whole(600, 690);
  const hemX = draws.whole(140, 205);
  const waistY = draws.whole(320, 360);
  const neckY = draws.pick([200, 250, 290]);
  const cut = draws.pick(["straps", "short", "long"] as const);
  const shoulder = cut === "straps" ? "70 132, 88 134" : "60 138, 118 160";
  const waist = `112 200 116 236 118 262, 108 300 96 320 92 ${waistY}`;
  const flare = `118 ${waistY + 70} ${hemX - 14} ${hemY - 90} ${hemX} ${hemY}`;
  const hem = `${hemX * 0.7} ${hemY + 26} ${hemX * 0.3} ${hemY + 6} 0 ${hemY + 20}`;
  const bodice = symmetric(`${shoulder}, ${waist}, ${flare}, ${hem}`, neckY);
  const isBelted = draws.chance(0.4);
  return {
    pieces: [
      { path: `M240 140Q300 116 360 140Q300 ${neckY} 240 140Z`, tone: "inside" },
      ...dressSleeves(cut),
      { path: bodice, tone: "main", isPatterned: true },
    ],
    details: isBelted
      ? [
          {
            path: symmetric(`93 ${waistY - 12}, 93 ${waistY + 12}, 0 ${waistY + 20}`),
            tone: "second",
          },
        ]
      : [],
    folds: [
      `M278 ${waistY + 20}C262 ${waistY + 140} 236 ${hemY - 90} 222 ${hemY}`,
      `M322 ${waistY + 20}C338 ${waistY + 140} 364 ${hemY - 90} 378 ${hemY}`,
      `M300 ${waistY + 40}C296 ${waistY + 160} 304 ${hemY - 60} 298 ${hemY + 6}`,
      "M250 230C262 270 262 300 252 330",
    ],
    seams: [
      ...(isBelted ? [] : [`M208 ${waistY}Q300 ${waistY + 18} 392 ${waistY}`]),
      `M236 146Q300 ${neckY + 14} 364 146`,
    ],
    placings: ["hung", "hung", "flat"],
    shoulderY: 146,
  };
};

function dressSleeves(cut: "straps" | "short" | "long"): readonly Piece[] {
  if (cut === "straps") return [];
  const path =
    cut === "short"
      ? bothSides("112 156, 150 176 182 236 196 296, 168 314 150 316 132 312, 118 270")
      : bothSides("112 156, 160 190 190 360 206 520, 190 532 176 534 160 530, 142 420 130 330 112 270");
  return [{ path, tone: "main", isPatterned: true }];
}

export const longDress: Draw = (draws) => {
  const neckY = draws.pick([230, 300]);
  const hemX = draws.whole(170, 215);
  return {
    pieces: [
      {
        path: symmetric(
          `66 96, 80 96, 92 170 98 200 100 226, 92 262 82 280 80 304, 104 400 ${hemX - 20} 600 ${hemX} 716, ${hemX * 0.7} 740 ${hemX * 0.3} 720 0 732`,
          neckY,
        ),
        tone: "main",
        isPatterned: true,
      },
    ],
    folds: [
      "M284 330C270 460 240 600 216 716",
      "M316 330C330 460 360 600 384 716",
      "M296 350C288 480 290 620 282 726",
      "M330 330C356 460 400 600 440 700",
      "M270 330C244 460 200 600 160 700",
    ],
    seams: ["M221 300Q300 318 379 300"],
    details: draws.chance(0.4)
      ? [{ path: "M300 330C330 470 352 600 392 736L330 740C322 600 312 470 300 330Z", tone: "deep" }]
      : [],
    placings: ["hung"],
    shoulderY: 100,
  };
};

export const skirt: Draw = (draws) => {
  const hemY = draws.whole(470, 680);
  const hemX = draws.whole(130, 220);
  return {
    pieces: [
      {
        path: symmetric(
          `98 190, 104 232, 124 300 ${hemX - 10} ${hemY - 60} ${hemX} ${hemY}, ${hemX * 0.7} ${hemY + 22} ${hemX * 0.3} ${hemY + 6} 0 ${hemY + 18}`,
        ),
        tone: "main",
        isPatterned: true,
      },
      {
        path: symmetric("98 188, 103 230, 50 240 20 241 0 241"),
        tone: "deep",
      },
    ],
    folds: [-0.7, -0.36, 0, 0.36, 0.7].map(
      (at) =>
        `M${300 + at * 90} 250C${300 + at * 110} 340 ${300 + at * hemX} ${hemY - 90} ${300 + at * hemX * 1.1} ${hemY}`,
    ),
    details: draws.chance(0.4) ? [{ path: oval(300, 212, 8), tone: "gold" }] : [],
    placings: ["flat", "hung"],
    shoulderY: 186,
  };
};

interface Legs {
  readonly kneeX: number;
  readonly hemX: number;
  readonly hemY: number;
  readonly crotchY: number;
  readonly innerX: number;
}

function legs({ kneeX, hemX, hemY, crotchY, innerX }: Legs): string {
  return symmetric(
    `106 116, 118 176 132 230 136 290, ${kneeX} 420 ${hemX + 2} 560 ${hemX} ${hemY}, ${innerX} ${hemY + 8}, ${innerX - 4} 560 26 440 5 ${crotchY}, 0 ${crotchY - 4}`,
  );
}

const WAISTBAND: Piece = {
  path: symmetric("105 112, 110 148, 60 158 20 160 0 160"),
  tone: "deep",
};
const LEG_FOLDS = [
  "M216 330C222 430 214 540 210 660",
  "M384 330C378 430 386 540 390 660",
  "M262 330l-46 34",
  "M338 330l46 34",
];

export const jeans: Draw = (draws) => {
  const width = draws.pick([96, 118, 150]);
  return {
    pieces: [
      { path: legs({ kneeX: 132, hemX: width, hemY: 700, crotchY: 336, innerX: 40 }), tone: "main" },
      WAISTBAND,
    ],
    details: [
      { path: oval(300, 134, 8), tone: "gold" },
      {
        path: bothSides("60 108, 68 108, 69 160, 61 160"),
        tone: "main",
      },
    ],
    folds: LEG_FOLDS,
    seams: ["M300 160V334", bothSides("48 162, 56 208 92 220 124 212", false)],
    stitches: [
      bothSides("44 164, 52 214 92 228 126 220", false),
      "M288 162V280Q290 312 300 322",
      bothSides(`128 300, ${width - 8} 690`, false),
      bothSides(`${width - 2} 686, 42 694`, false),
    ],
    placings: ["flat", "flat", "hung"],
    shoulderY: 112,
  };
};

export const trousers: Draw = (draws) => {
  const hemX = draws.pick([104, 140, 180]);
  const isElastic = draws.chance(0.4);
  return {
    pieces: [
      {
        path: legs({
          kneeX: Math.max(132, hemX - 20),
          hemX,
          hemY: 704,
          crotchY: 340,
          innerX: Math.max(30, 60 - hemX / 6),
        }),
        tone: "main",
        isPatterned: true,
      },
      WAISTBAND,
    ],
    details: isElastic
      ? [{ path: "M290 150l-16 74 7 2 16-74ZM310 150l16 74-7 2-16-74Z", tone: "white" }]
      : [{ path: oval(300, 134, 7), tone: "ink" }],
    folds: [...LEG_FOLDS, "M236 250C234 400 222 560 216 690", "M364 250C366 400 378 560 384 690"],
    seams: ["M300 160V336", bothSides("110 160, 124 220", false)],
    placings: ["flat", "hung"],
    shoulderY: 112,
  };
};

export const leggings: Draw = () => ({
  pieces: [
    {
      path: legs({ kneeX: 112, hemX: 78, hemY: 704, crotchY: 330, innerX: 34 }),
      tone: "main",
      isPatterned: true,
    },
    WAISTBAND,
  ],
  folds: [
    "M222 330C228 430 236 540 246 660",
    "M378 330C372 430 364 540 354 660",
    "M268 330l-40 26",
    "M332 330l40 26",
  ],
  seams: ["M300 160V326"],
  placings: ["flat"],
});

export const shorts: Draw = (draws) => {
  const hemY = draws.whole(430, 530);
  return {
    pieces: [
      {
        path: symmetric(
          `112 210, 124 260 140 310 146 350, 154 400 158 ${hemY - 30} 160 ${hemY}, 24 ${hemY + 12}, 18 ${hemY - 40} 10 430 2 410, 0 408`,
        ),
        tone: "main",
        isPatterned: true,
      },
      {
        path: symmetric("111 206, 116 242, 60 252 20 254 0 254"),
        tone: "deep",
      },
    ],
    details: [{ path: oval(300, 228, 8), tone: "gold" }],
    folds: ["M230 380C228 420 222 450 216 500", "M370 380C372 420 378 450 384 500"],
    seams: ["M300 254V408", bothSides("116 256, 104 306 92 318 62 256", false)],
    stitches: [bothSides(`158 ${hemY - 14}, 26 ${hemY - 2}`, false)],
    placings: ["flat", "hung"],
    shoulderY: 204,
  };
};

export const jumpsuit: Draw = (draws) => {
  const isDungarees = draws.chance(0.4);
  return {
    pieces: [
      {
        path: symmetric(
          "62 112, 84 112, 92 170 104 220 108 252, 98 290 90 306 90 330, 118 380 150 560 156 716, 38 722, 36 600 20 500 4 452, 0 450",
          isDungarees ? 300 : 220,
        ),
        tone: "main",
        isPatterned: true,
      },
    ],
    details: [
      {
        path: symmetric("90 316, 92 344, 0 352"),
        tone: "deep",
      },
      ...(isDungarees
        ? [
            {
              path: bothSides("60 190, 76 190, 76 208, 60 208"),
              tone: "gold",
            } as const,
            { path: rect(262, 236, 76, 64), tone: "deep" } as const,
          ]
        : []),
    ],
    folds: [
      "M240 380C228 500 218 600 214 710",
      "M360 380C372 500 382 600 386 710",
      "M262 440l-40 30",
      "M338 440l40 30",
    ],
    seams: ["M300 350V448"],
    placings: ["hung", "flat"],
    shoulderY: 120,
  };
};
