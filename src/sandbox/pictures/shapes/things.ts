import type { Draws } from "../../world/draws.ts";
import { box, oval, rect, symmetric, type Draw, type Piece } from "../drawing.ts";

/** Beauty, baby care and gadgets: small things that stand on a table. */

export const bottle: Draw = (draws) => {
  const width = draws.whole(76, 108);
  const height = draws.whole(190, 280);
  const top = 640 - height;
  const capTone = draws.pick(["gold", "ink", "white", "metal"] as const);
  const isRound = draws.chance(0.4);
  return {
    pieces: [
      { path: rect(276, top - 84, 48, 60), tone: capTone },
      { path: rect(284, top - 30, 32, 36), tone: "metal" },
      {
        path: isRound
          ? oval(300, 640 - height / 2, width * 1.25, height / 2)
          : box({ x: 300 - width, y: top, width: width * 2, height, radius: 22 }),
        tone: "main",
      },
    ],
    details: [
      {
        path: box({
          x: 300 - width * 0.62,
          y: 640 - height * 0.66,
          width: width * 1.24,
          height: height * 0.4,
          radius: 4,
        }),
        tone: "white",
      },
      { path: rect(300 - width * 0.4, 640 - height * 0.54, width * 0.8, 8), tone: "ink" },
      { path: rect(300 - width * 0.28, 640 - height * 0.45, width * 0.56, 5), tone: "ink" },
      { path: `M${300 - width * 0.84} ${top + 34}h12v${height - 70}h-12Z`, tone: "pale" },
    ],
    placings: ["stood"],
    groundY: 640,
  };
};

export const makeup: Draw = (draws) => {
  if (draws.chance(0.5)) {
    return {
      pieces: [
        { path: rect(236, 470, 74, 170), tone: "ink" },
        { path: rect(242, 400, 62, 76), tone: "gold" },
        { path: "M248 400V320Q274 288 298 330V400Z", tone: "main" },
        { path: rect(342, 500, 74, 140), tone: "ink" },
        { path: rect(342, 486, 74, 22), tone: "gold" },
      ],
      placings: ["stood"],
      groundY: 640,
    };
  }
  const shades = ["#c98f7c", "#a65e4e", "#7c4a45", "#d9b08c", "#e3c7b0", "#8d6b6b", "#b5838d", "#6d4c41"];
  return {
    pieces: [
      { path: box({ x: 110, y: 240, width: 380, height: 170, radius: 14 }), tone: "deep" },
      { path: box({ x: 126, y: 256, width: 348, height: 138, radius: 8 }), tone: "glass" },
      { path: box({ x: 110, y: 416, width: 380, height: 170, radius: 14 }), tone: "main" },
    ],
    details: shades.map((shade, index): Piece => ({
      path: box({
        x: 128 + (index % 4) * 88,
        y: 432 + Math.floor(index / 4) * 72,
        width: 78,
        height: 62,
        radius: 6,
      }),
      tone: `#${shade.slice(1)}`,
    })),
    placings: ["flat"],
  };
};

export const babyBottle: Draw = () => ({
  pieces: [
    {
      path: "M272 300C272 240 286 232 290 206C292 190 308 190 310 206C314 232 328 240 328 300Z",
      tone: "#d9b38c",
    },
    { path: box({ x: 236, y: 296, width: 128, height: 52, radius: 10 }), tone: "main" },
    {
      path: symmetric(
        "58 348, 74 380 78 400 78 430, 72 470 72 500 80 540, 80 612, 80 632 70 640 54 640, 0 640",
      ),
      tone: "glass",
    },
    {
      path: symmetric("76 460, 72 490 72 510 79 545, 79 612, 78 630 68 638 54 638, 0 638"),
      tone: "white",
    },
  ],
  details: [0, 1, 2, 3].map((row): Piece => ({ path: rect(252, 420 + row * 46, 34, 5), tone: "main" })),
  folds: ["M244 400C238 480 240 560 244 620"],
  placings: ["stood"],
  groundY: 640,
});

export const gadget: Draw = (draws) => {
  const isPhone = draws.chance(0.5);
  return {
    pieces: isPhone
      ? [
          { path: box({ x: 196, y: 210, width: 208, height: 410, radius: 36 }), tone: "main" },
          { path: box({ x: 212, y: 228, width: 82, height: 92, radius: 22 }), tone: "deep" },
        ]
      : [
          { path: box({ x: 130, y: 330, width: 340, height: 240, radius: 40 }), tone: "main" },
          { path: box({ x: 166, y: 366, width: 190, height: 130, radius: 12 }), tone: "#39433f" },
        ],
    details: isPhone
      ? [
          { path: oval(234, 252, 14), tone: "ink" },
          { path: oval(270, 292, 14), tone: "ink" },
        ]
      : [
          { path: oval(412, 410, 26), tone: "second" },
          { path: oval(412, 486, 26), tone: "deep" },
          { path: "M180 470q40-70 80-20t80-50v82H180Z", tone: "#5d8a78" },
        ],
    placings: ["flat"],
  };
};

export const stroller: Draw = () => ({
  pieces: [
    { path: "M150 250L178 240L330 560L302 570Z", tone: "metal" },
    { path: "M420 420L440 430L250 610L232 596Z", tone: "metal" },
    { path: "M206 400H440C440 500 380 540 300 540C250 540 214 480 206 400Z", tone: "main" },
    { path: "M214 396C220 280 320 220 430 260C450 300 452 350 440 396Z", tone: "deep" },
    {
      path: "M330 250C352 290 356 350 350 396L440 396C452 350 450 300 430 260C398 246 362 244 330 250Z",
      tone: "main",
    },
  ],
  details: [
    ...[236, 400].flatMap((x): Piece[] => [
      { path: `${oval(x, 600, 48)}${oval(x, 600, 34)}`, tone: "ink" },
      { path: oval(x, 600, 10), tone: "metal" },
    ]),
    { path: box({ x: 112, y: 232, width: 80, height: 24, radius: 12 }), tone: "ink" },
  ],
  seams: ["M214 396H440"],
  placings: ["stood"],
  groundY: 650,
});

export const furniture: Draw = (draws) => draws.pick([chair, searchIndex, cot])(draws);

const chair: Draw = () => ({
  pieces: [
    { path: "M214 660L236 470H262L244 660ZM386 660L364 470H338L356 660Z", tone: "wood" },
    { path: "M212 470H388L400 430H200Z", tone: "main" },
    { path: "M214 432C206 330 220 240 300 236C380 240 394 330 386 432Z", tone: "main" },
    { path: "M240 420C236 340 246 272 300 268C354 272 364 340 360 420Z", tone: "pale" },
  ],
  folds: ["M226 300C220 350 222 390 226 420"],
  placings: ["stood"],
  groundY: 660,
});

const searchIndex: Draw = (draws: Draws) => ({
  pieces: [
    { path: rect(140, 250, 320, 400), tone: "wood" },
    { path: rect(158, 268, 284, 112), tone: "#6a4c30" },
    { path: rect(158, 396, 284, 112), tone: "#6a4c30" },
    { path: rect(158, 524, 284, 112), tone: "#6a4c30" },
  ],
  details: Array.from({ length: 12 }, (_unused, index): Piece => {
    const height = draws.whole(56, 92);
    const row = Math.floor(index / 4);
    return {
      path: rect(172 + (index % 4) * 34, 380 + row * 128 - height, 26, height),
      tone: draws.pick(["main", "second", "deep", "pale"]),
    };
  }),
  placings: ["stood"],
  groundY: 650,
});

const cot: Draw = () => ({
  pieces: [
    { path: "M110 330h24v320h-24ZM466 330h24v320h-24Z", tone: "wood" },
    { path: rect(110, 350, 380, 22), tone: "wood" },
    { path: rect(110, 580, 380, 24), tone: "wood" },
    { path: "M134 500H466V582H134Z", tone: "main", isPatterned: true },
  ],
  details: Array.from({ length: 9 }, (_unused, index): Piece => ({
    path: rect(156 + index * 36, 372, 10, 210),
    tone: "wood",
  })),
  placings: ["stood"],
  groundY: 650,
});
