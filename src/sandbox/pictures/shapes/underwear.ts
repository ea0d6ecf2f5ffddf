import { bothSides, oval, symmetric, type Draw } from "../drawing.ts";

/** What is worn underneath, at night or at the beach. */

export const swimsuit: Draw = (draws) => ({
  pieces: [
    { path: "M226 150Q300 300 374 150L352 210Q300 290 248 210Z", tone: "inside" },
    {
      path: symmetric(
        "70 128, 90 126, 94 200 106 240 118 262, 104 330 98 360 104 410, 116 470 130 500 138 530, 90 560 54 610 40 664, 20 672 8 672 0 672",
        draws.pick([330, 400]),
      ),
      tone: "main",
      isPatterned: true,
    },
  ],
  folds: ["M240 400C270 420 330 420 360 400", "M260 560C286 590 314 590 340 560"],
  seams: [
    bothSides("84 134, 90 204 104 244 110 262", false),
    bothSides("132 532, 86 562 52 610 36 660", false),
  ],
  details: draws.chance(0.4)
    ? [
        {
          path: symmetric("104 396, 106 424, 0 430"),
          tone: "second",
        },
      ]
    : [],
  placings: ["flat"],
});

export const bikini: Draw = () => ({
  pieces: [
    {
      path: bothSides("8 318, 30 226 84 190 96 190, 132 250 138 300 128 334, 90 352 40 344 8 330"),
      tone: "main",
      isPatterned: true,
    },
    {
      path: symmetric("138 498, 140 524, 84 540 44 590 32 640, 0 646"),
      tone: "main",
      isPatterned: true,
    },
  ],
  seams: [
    bothSides("94 192, 100 140 70 110 30 96", false),
    bothSides("130 330, 160 330 176 340 190 360", false),
    bothSides("132 520, 80 536 40 584 28 632", false),
  ],
  details: [
    {
      path: bothSides("138 496, 176 470, 180 478, 142 510"),
      tone: "second",
    },
    {
      path: bothSides("138 506, 172 540, 166 546, 138 522"),
      tone: "second",
    },
    { path: oval(300, 324, 9), tone: "gold" },
  ],
  folds: ["M230 250q24 40 10 80", "M370 250q-24 40-10 80"],
  placings: ["flat"],
});

export const bra: Draw = (draws) => ({
  pieces: [
    {
      path: bothSides("106 300, 190 330, 196 420, 120 420"),
      tone: "deep",
    },
    {
      path: bothSides("4 372, 30 300 70 268 112 262, 150 300 160 380 140 430, 100 470 40 464 4 424"),
      tone: "main",
      isPatterned: true,
    },
    {
      path: symmetric("130 424, 140 434, 128 466 60 474 0 460"),
      tone: "deep",
    },
    ...(draws.chance(0.4)
      ? [
          {
            path: symmetric("132 560, 136 584, 84 600 40 650 28 696, 0 700"),
            tone: "main",
            isPatterned: true,
          } as const,
        ]
      : []),
  ],
  details: [
    {
      path: bothSides("104 266, 116 130, 124 131, 114 268"),
      tone: "second",
    },
    { path: `M292 392l-14-10v22ZM308 392l14-10v22ZM294 386h12v12h-12Z`, tone: "second" },
  ],
  folds: ["M222 330C250 350 264 400 244 444", "M378 330C350 350 336 400 356 444"],
  seams: [bothSides("112 266, 70 330 40 380 24 446", false)],
  placings: ["flat"],
});

export const briefs: Draw = () => ({
  pieces: [
    {
      path: symmetric("150 300, 154 340, 160 420 160 470 156 510, 96 520 62 560 52 600, 20 606 8 606 0 606"),
      tone: "main",
      isPatterned: true,
    },
    {
      path: symmetric("150 296, 153 334, 60 348 20 350 0 350"),
      tone: "second",
    },
  ],
  folds: ["M230 380C250 440 262 500 266 560", "M370 380C350 440 338 500 334 560"],
  seams: [
    bothSides("152 502, 94 512 58 552 46 596", false),
    "M272 350C276 440 282 520 290 604",
    "M328 350C324 440 318 520 310 604",
  ],
  placings: ["flat"],
});

const SOCK = "M0 0h86v210c0 30 20 48 74 66c44 14 52 70 8 80c-60 12-116 0-150-40c-22-26-18-60-18-106Z";

export const socks: Draw = (draws) => {
  const moved = (x: number, y: number): string => SOCK.replace("M0 0", `M${x} ${y}`);
  const sock = (x: number, y: number) => [
    { path: moved(x, y), tone: "main", isPatterned: true } as const,
    { path: `M${x} ${y}h86v44h-86Z`, tone: "second" } as const,
    {
      path: `M${x + 118} ${y + 262}q52 6 66 40q10 40-16 54q-40 8-64 4q-16-60 14-98Z`,
      tone: "second",
    } as const,
  ];
  const gap = draws.whole(118, 140);
  return {
    pieces: [...sock(160, 200), ...sock(160 + gap, 262)],
    folds: ["M180 300q30 20 60 0", "M300 380q30 20 60 0"],
    placings: ["flat"],
  };
};
