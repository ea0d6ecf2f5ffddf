import { oval, rect, symmetric, type Draw, type Piece } from "../drawing.ts";

/** House, table and pets. */

export const cushion: Draw = () => ({
  pieces: [
    {
      path: "M130 270C200 292 400 292 470 270C448 340 448 520 470 606C400 584 200 584 130 606C152 520 152 340 130 270Z",
      tone: "main",
      isPatterned: true,
    },
  ],
  folds: [
    "M150 290C220 350 240 380 250 420",
    "M450 290C380 350 360 380 350 420",
    "M150 590C220 530 240 500 250 470",
    "M450 590C380 530 360 500 350 470",
  ],
  seams: ["M134 276C204 300 396 300 466 276"],
  placings: ["stood", "flat"],
  groundY: 600,
});

export const bedding: Draw = () => ({
  pieces: [
    {
      path: "M110 300H490L498 560C498 584 484 592 466 592H134C116 592 102 584 102 560Z",
      tone: "main",
      isPatterned: true,
    },
    {
      path: "M110 300C108 276 120 268 140 268H460C480 268 492 276 490 300L494 372C380 394 220 394 106 372Z",
      tone: "second",
    },
    {
      path: "M104 440C220 466 380 466 496 440L498 500C380 528 220 528 102 500Z",
      tone: "pale",
      isPatterned: true,
    },
  ],
  folds: ["M106 400C240 430 360 430 494 400", "M104 540C240 566 360 566 496 540"],
  seams: ["M102 436C220 462 380 462 498 436", "M102 504C220 532 380 532 498 504"],
  placings: ["flat", "stood"],
  groundY: 592,
});

export const towel: Draw = () => ({
  pieces: [
    { path: "M176 150H424L432 690H168Z", tone: "main", isPatterned: true },
    { path: "M171 560H429L430 600H170Z", tone: "second" },
  ],
  folds: [
    "M230 170C222 340 226 520 216 680",
    "M300 160C306 340 296 520 302 684",
    "M372 170C380 340 374 520 386 680",
  ],
  seams: ["M168 664H432"],
  placings: ["hung", "flat"],
  shoulderY: 150,
});

export const rug: Draw = (draws) =>
  draws.chance(0.4)
    ? {
        pieces: [{ path: oval(300, 420, 210, 210), tone: "main", isPatterned: true }],
        seams: [oval(300, 420, 170), oval(300, 420, 120), oval(300, 420, 70)],
        placings: ["flat"],
      }
    : {
        pieces: [
          { path: "M120 170H480V650H120Z", tone: "main", isPatterned: true },
          { path: "M150 200H450V620H150ZM164 214V606H436V214Z", tone: "second" },
        ],
        details: [
          ...Array.from({ length: 24 }, (_unused, index): Piece => ({
            path: `M${122 + index * 15} 150h5v22h-5ZM${122 + index * 15} 648h5v22h-5Z`,
            tone: "rubber",
          })),
          { path: "M300 300l70 110-70 110-70-110Z", tone: "deep" },
        ],
        placings: ["flat"],
      };

export const candle: Draw = () => ({
  pieces: [
    { path: rect(296, 352, 8, 40), tone: "ink" },
    { path: "M300 300C322 330 322 354 300 362C278 354 278 330 300 300Z", tone: "#f3c25b" },
    { path: "M206 400H394V610Q394 640 364 640H236Q206 640 206 610Z", tone: "main" },
    { path: oval(300, 400, 94, 18), tone: "pale" },
  ],
  details: [
    { path: rect(244, 490, 112, 84), tone: "white" },
    { path: rect(262, 514, 76, 8), tone: "ink" },
    { path: rect(274, 536, 52, 6), tone: "ink" },
  ],
  folds: ["M222 430V610"],
  placings: ["stood"],
  groundY: 640,
});

export const clock: Draw = () => ({
  pieces: [
    { path: oval(300, 400, 172), tone: "main" },
    { path: oval(300, 400, 146), tone: "white" },
  ],
  details: [
    ...Array.from({ length: 12 }, (_unused, hour): Piece => {
      const turn = (hour * Math.PI) / 6;
      return {
        path: oval(
          Math.round(300 + 122 * Math.sin(turn)),
          Math.round(400 - 122 * Math.cos(turn)),
          hour % 3 === 0 ? 10 : 5,
        ),
        tone: "ink",
      };
    }),
    { path: "M295 406L352 306l9 5-54 100ZM294 394L226 420l4 9 70-22Z", tone: "ink" },
    { path: oval(300, 400, 11), tone: "ink" },
  ],
  placings: ["hung", "flat"],
});

export const frame: Draw = (draws) => ({
  pieces: [
    { path: rect(150, 190, 300, 400), tone: draws.pick(["wood", "ink", "gold", "white"]) },
    { path: rect(172, 212, 256, 356), tone: "#f4efe4" },
    ...draws.pick<readonly Piece[]>([
      [
        { path: oval(300, 380, 78), tone: "main" },
        { path: "M200 520C250 420 350 420 400 520Z", tone: "second" },
      ],
      [
        { path: rect(172, 212, 256, 356), tone: "glass" },
        { path: "M190 400L300 230h60L210 460Z", tone: "#ffffff66" },
      ],
      [
        { path: "M300 500V330M300 400", tone: "ink" },
        { path: "M300 500C230 440 230 340 300 270C370 340 370 440 300 500Z", tone: "#6c8a63" },
      ],
    ]),
  ],
  placings: ["hung", "stood"],
  groundY: 590,
});

export const basket: Draw = () => ({
  pieces: [
    { path: "M214 390C214 290 386 290 386 390L366 392C366 314 234 314 234 392Z", tone: "wood" },
    {
      path: symmetric("150 386, 168 386, 160 500 146 600 132 636, 0 644"),
      tone: "#c79d68",
    },
    {
      path: symmetric("172 376, 174 410, 60 424 20 425 0 425"),
      tone: "wood",
    },
  ],
  seams: [0, 1, 2, 3, 4].map(
    (row) => `M${140 + row * 4} ${452 + row * 40}Q300 ${472 + row * 40} ${460 - row * 4} ${452 + row * 40}`,
  ),
  folds: ["M170 440C172 520 180 590 186 630"],
  details: [{ path: "M170 392C220 360 380 360 430 392C380 404 220 404 170 392Z", tone: "main" }],
  placings: ["stood"],
  groundY: 642,
});

export const vase: Draw = (draws) => ({
  pieces: [
    ...(draws.chance(0.5)
      ? ([
          {
            path: "M296 330C280 250 250 190 220 150l8-4C262 190 292 250 304 330ZM304 330C316 240 340 180 376 136l7 5C350 190 324 250 312 330Z",
            tone: "#6f8256",
          },
          {
            path: `${oval(222, 150, 34, 44)}${oval(380, 138, 30, 40)}${oval(300, 170, 32, 44)}`,
            tone: "#d9b8a8",
          },
        ] as const)
      : []),
    {
      path: symmetric("44 320, 40 380 112 430 112 520, 112 600 76 640 56 642, 0 644"),
      tone: "main",
    },
    { path: oval(300, 322, 44, 10), tone: "inside" },
  ],
  folds: ["M232 450C212 500 216 570 246 620"],
  placings: ["stood"],
  groundY: 644,
});

export const plate: Draw = (draws) => ({
  pieces: [
    { path: oval(300, 420, 190), tone: "white" },
    { path: `${oval(300, 420, 190)}${oval(300, 420, 176)}`, tone: "main" },
  ],
  seams: [oval(300, 420, 128), oval(300, 420, 124)],
  details: draws.chance(0.5)
    ? [0, 60, 120, 180, 240, 300].map((turn): Piece => {
        const angle = (turn * Math.PI) / 180;
        return {
          path: oval(Math.round(300 + 154 * Math.cos(angle)), Math.round(420 + 154 * Math.sin(angle)), 13),
          tone: "main",
        };
      })
    : [{ path: `${oval(300, 420, 152)}${oval(300, 420, 147)}`, tone: "second" }],
  placings: ["flat"],
});

export const mug: Draw = (draws) => ({
  pieces: [
    { path: "M404 420C500 410 500 570 400 566L400 542C462 544 462 442 404 446Z", tone: "deep" },
    { path: "M190 390H410L404 600Q402 640 362 640H238Q198 640 196 600Z", tone: "main" },
    { path: oval(300, 390, 110, 20), tone: "inside" },
  ],
  details: draws.chance(0.6)
    ? [
        {
          path: "M300 580C220 530 234 460 276 470C292 474 300 490 300 490C300 490 308 474 324 470C366 460 380 530 300 580Z",
          tone: "second",
        },
      ]
    : [],
  folds: ["M214 420C212 500 216 570 224 620"],
  placings: ["stood"],
  groundY: 640,
});

export const glass: Draw = () => ({
  pieces: [170, 300, 430].flatMap((x): Piece[] => [
    {
      path: `M${x - 56} 340H${x + 56}C${x + 60} 450 ${x + 30} 490 ${x + 6} 500V610H${x + 44}V630H${x - 44}V610H${x - 6}V500C${x - 30} 490 ${x - 60} 450 ${x - 56} 340Z`,
      tone: "glass",
    },
    {
      path: `M${x - 56} 400H${x + 56}C${x + 54} 460 ${x + 30} 490 ${x} 494C${x - 30} 490 ${x - 54} 460 ${x - 56} 400Z`,
      tone: "#b9d0d6",
    },
  ]),
  folds: [],
  placings: ["stood"],
  groundY: 630,
});

export const garland: Draw = (draws) => ({
  pieces: [{ path: "M80 260C160 400 240 400 300 330C360 400 440 400 520 260", tone: "rubber" }],
  strokeWidth: 6,
  details: [120, 170, 222, 268, 332, 380, 430, 482].map((x, index): Piece => {
    const y = [320, 362, 374, 356, 356, 374, 362, 316][index] ?? 350;
    return {
      path: `M${x - 22} ${y}h44l-22 58Z`,
      tone: draws.pick(["main", "second", "gold", "deep", "#d9763a"]),
    };
  }),
  placings: ["hung", "flat"],
});

export const petBed: Draw = () => ({
  pieces: [
    { path: oval(300, 470, 214, 150), tone: "main" },
    { path: oval(300, 452, 150, 92), tone: "deep" },
    { path: oval(300, 466, 142, 78), tone: "second" },
  ],
  folds: [
    "M110 430C130 380 200 340 260 332",
    "M490 430C470 380 400 340 340 332",
    "M150 560C220 604 380 604 450 560",
  ],
  seams: [oval(300, 460, 150, 92)],
  placings: ["stood", "flat"],
  groundY: 618,
});

export const collar: Draw = () => ({
  pieces: [
    {
      path: "M300 250C420 250 460 340 440 440C420 530 360 570 300 570C240 570 180 530 160 440C140 340 180 250 290 250",
      tone: "main",
    },
  ],
  strokeWidth: 38,
  details: [
    { path: rect(268, 222, 62, 56), tone: "metal" },
    { path: rect(284, 236, 30, 28), tone: "deep" },
    { path: oval(300, 628, 30), tone: "gold" },
    { path: rect(294, 580, 12, 26), tone: "metal" },
  ],
  placings: ["flat"],
});

export const bowl: Draw = () => ({
  pieces: [
    { path: "M130 480H470L440 600Q430 630 396 630H204Q170 630 160 600Z", tone: "main" },
    { path: oval(300, 480, 170, 40), tone: "pale" },
    { path: oval(300, 484, 146, 28), tone: "inside" },
  ],
  details: [
    {
      path: "M282 556q-14-22 4-26 14 0 14 18 0-18 14-18 18 4 4 26 22 20-4 30-14 4-28 0-26-10-4-30Z",
      tone: "second",
    },
  ],
  folds: ["M160 510C166 560 176 600 190 620"],
  placings: ["stood"],
  groundY: 630,
});

const BONE =
  "M210 560L390 560C430 610 500 580 480 530C530 500 490 440 440 460L160 460C110 440 70 500 120 530C100 580 170 610 210 560Z";

export const petToy: Draw = (draws) => ({
  pieces: [
    { path: BONE, tone: draws.chance(0.5) ? "main" : "rubber" },
    { path: oval(draws.whole(180, 420), 340, 82), tone: "second" },
  ],
  folds: ["M150 500Q300 530 450 500"],
  details: [{ path: "M170 470h14l-8 88h-14ZM420 470h14l-8 88h-14Z", tone: "deep" }],
  placings: ["flat"],
});

export const tankAquarium: Draw = () => ({
  pieces: [
    { path: rect(110, 300, 380, 336), tone: "glass" },
    { path: rect(120, 350, 360, 278), tone: "#8fc0cf" },
    { path: "M120 590C200 570 300 600 480 580V628H120Z", tone: "#d8c08f" },
    {
      path: "M176 592C160 540 190 500 176 450C206 500 190 550 200 592ZM216 592C206 560 226 530 220 500C240 530 228 560 236 592Z",
      tone: "#4f8a5b",
    },
  ],
  details: [
    { path: "M300 460C330 430 370 440 384 466C370 492 330 500 300 474L276 490V444Z", tone: "main" },
    { path: oval(362, 460, 5), tone: "ink" },
    { path: rect(104, 288, 392, 18), tone: "ink" },
    { path: rect(104, 628, 392, 14), tone: "ink" },
  ],
  placings: ["stood"],
  groundY: 642,
});
