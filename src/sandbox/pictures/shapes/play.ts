import type { Draws } from "../../world/draws.ts";
import { box, oval, rect, type Draw, type Piece } from "../drawing.ts";

/** Toys, games, database, records. */

export const plush: Draw = (draws) => {
  const isRabbit = draws.chance(0.4);
  return {
    pieces: [
      ...(isRabbit
        ? ([
            {
              path: "M250 240C214 130 230 80 256 90C284 100 290 180 286 236ZM350 240C386 130 370 80 344 90C316 100 310 180 314 236Z",
              tone: "main",
            },
          ] as const)
        : ([
            { path: `${oval(222, 236, 44)}${oval(378, 236, 44)}`, tone: "main" },
            { path: `${oval(222, 236, 24)}${oval(378, 236, 24)}`, tone: "pale" },
          ] as const)),
      { path: `${oval(212, 626, 62, 42)}${oval(388, 626, 62, 42)}`, tone: "main" },
      {
        path: "M206 440C150 470 130 530 152 556C180 570 214 520 232 490ZM394 440C450 470 470 530 448 556C420 570 386 520 368 490Z",
        tone: "main",
      },
      { path: oval(300, 530, 112, 126), tone: "main" },
      { path: oval(300, 548, 66, 82), tone: "pale" },
      { path: oval(300, 320, 118, 106), tone: "main" },
      { path: oval(300, 356, 56, 44), tone: "pale" },
    ],
    details: [
      { path: `${oval(258, 306, 11)}${oval(342, 306, 11)}`, tone: "ink" },
      { path: "M284 336Q300 326 316 336Q312 356 300 358Q288 356 284 336Z", tone: "ink" },
      { path: "M262 424C280 440 320 440 338 424L348 452C320 466 280 466 252 452Z", tone: "second" },
    ],
    seams: ["M300 358V376M300 376Q286 388 274 380M300 376Q314 388 326 380"],
    folds: ["M214 560C220 610 250 640 290 648"],
    placings: ["stood", "flat"],
    groundY: 660,
  };
};

export const figure: Draw = (draws) => {
  const people = [190, 300, 410].map((x, index) => person(x, index, draws)).flat();
  return { pieces: people, placings: ["stood"], groundY: 640 };
};

function person(x: number, index: number, draws: Draws): readonly Piece[] {
  const shirt = draws.pick(["main", "second", "#c0392b", "#2e6da4", "#3f8a4d"] as const);
  const y = 640 - (index % 2) * 16;
  return [
    { path: `M${x - 34} ${y - 96}h30v96h-34ZM${x + 4} ${y - 96}h30l4 96h-34Z`, tone: "#33476b" },
    { path: `M${x - 44} ${y - 196}h88l8 104h-104Z`, tone: shirt },
    { path: `M${x - 46} ${y - 190}l-26 74 18 8 24-60ZM${x + 46} ${y - 190}l26 74-18 8-24-60Z`, tone: shirt },
    { path: box({ x: x - 30, y: y - 258, width: 60, height: 60, radius: 20 }), tone: "#e9c46a" },
    {
      path: `M${x - 34} ${y - 232}C${x - 38} ${y - 284} ${x + 38} ${y - 284} ${x + 34} ${y - 232}C${x + 10} ${y - 250} ${x - 10} ${y - 250} ${x - 34} ${y - 232}Z`,
      tone: draws.pick(["#5a3825", "#2b2320", "#c98a3a"]),
    },
    { path: `${oval(x - 11, y - 226, 4)}${oval(x + 11, y - 226, 4)}`, tone: "ink" },
  ];
}

const BRICKS = ["#c0392b", "#2e6da4", "#e0b43c", "#3f8a4d", "#e8e4da", "#d9763a"] as const;

export const blocks: Draw = (draws) => {
  const rows = [5, 4, 3, 2];
  const pieces = rows.flatMap((count, row) =>
    Array.from({ length: count }, (_unused, index): readonly Piece[] => {
      const x = 300 - (count * 84) / 2 + index * 84 + draws.whole(-4, 4);
      const y = 640 - (row + 1) * 74;
      const tone = draws.pick(BRICKS);
      return [
        { path: box({ x, y, width: 80, height: 74, radius: 6 }), tone },
        { path: rect(x + 12, y - 12, 22, 14), tone },
        { path: rect(x + 46, y - 12, 22, 14), tone },
      ];
    }).flat(),
  );
  return {
    pieces,
    seams: rows.map((_count, row) => `M100 ${640 - row * 74}h0`),
    placings: ["stood"],
    groundY: 640,
  };
};

export const toyCar: Draw = () => ({
  pieces: [
    {
      path: "M96 590C90 530 110 500 170 490C200 430 240 400 310 400C380 400 414 440 436 494C490 500 512 530 506 590Z",
      tone: "main",
    },
    { path: "M214 490C232 446 262 430 296 430V490ZM316 430C360 430 384 456 396 490H316Z", tone: "glass" },
    { path: rect(100, 570, 402, 22), tone: "deep" },
  ],
  details: [
    ...[190, 412].flatMap((x): Piece[] => [
      { path: oval(x, 596, 48), tone: "ink" },
      { path: oval(x, 596, 22), tone: "second" },
    ]),
    { path: oval(492, 538, 14), tone: "#f2d974" },
    { path: rect(316, 516, 40, 8), tone: "deep" },
  ],
  seams: ["M306 492V570"],
  placings: ["stood"],
  groundY: 644,
});

export const bike: Draw = () => ({
  pieces: [
    { path: "M172 560L258 400H392L300 560ZM196 552H288L370 420H270Z", tone: "main" },
    { path: "M384 386l14-6 60 176-14 6ZM250 380h16l8 30h-16Z", tone: "main" },
    { path: "M212 372h92q10 0 8 14H222Q208 386 212 372Z", tone: "ink" },
    { path: "M356 352h70q24 4 22 24h-12q0-12-14-12h-66Z", tone: "ink" },
  ],
  details: [172, 450].flatMap((x): Piece[] => [
    { path: `${oval(x, 560, 88)}${oval(x, 560, 74)}`, tone: "ink" },
    { path: oval(x, 560, 12), tone: "metal" },
  ]),
  seams: [172, 450].map(
    (x) => `M${x - 74} 560h148M${x} 486v148M${x - 52} 508l104 104M${x + 52} 508l-104 104`,
  ),
  placings: ["stood"],
  groundY: 648,
});

export const book: Draw = (draws) => {
  const count = draws.pick([1, 1, 1, 2, 3]);
  const covers = ["main", "#7a3b3f", "#2f4858", "#c9a45c", "#51624f"] as const;
  return {
    pieces: Array.from({ length: count }, (_unused, index): readonly Piece[] => {
      const x = 170 + index * 30;
      const y = 190 + index * 34;
      const cover = covers[(index + draws.whole(0, 4)) % covers.length] ?? "main";
      return [
        { path: `M${x + 8} ${y + 8}h254v392h-254Z`, tone: "#e9e2d2" },
        { path: `M${x} ${y}h252v390h-252Z`, tone: cover },
        { path: `M${x} ${y}h20v390h-20Z`, tone: "#00000033" },
        ...cover3(x, y, draws),
      ];
    }).flat(),
    placings: ["flat"],
  };
};

/** What a cover shows: a title, a name and a picture of something. */
function cover3(x: number, y: number, draws: Draws): readonly Piece[] {
  const light = "#f3ead7" as const;
  const art = draws.pick<string>([
    oval(x + 136, y + 240, 70),
    `M${x + 60} ${y + 310}l60-110 44 70 24-36 50 76Z`,
    `M${x + 84} ${y + 190}h104v120h-104Z`,
    `M${x + 136} ${y + 170}l22 60 62 4-48 40 16 60-52-34-52 34 16-60-48-40 62-4Z`,
  ]);
  return [
    { path: rect(x + 52, y + 50, 168, 20), tone: light },
    { path: rect(x + 76, y + 84, 120, 16), tone: light },
    { path: art, tone: draws.pick(["#d99a5b", "#e6d3a8", "#c65b4a", "#8fb0b5"]) },
    { path: rect(x + 92, y + 350, 88, 9), tone: light },
  ];
}

const CASES = ["#2e6da4", "#2f7a4a", "#c0392b", "#e8e4da", "#3a3a40"] as const;

export const gameCase: Draw = (draws) => {
  const tone = draws.pick(CASES);
  return {
    pieces: [
      { path: box({ x: 170, y: 190, width: 266, height: 376, radius: 10 }), tone: "#dfe3e6" },
      { path: box({ x: 170, y: 190, width: 266, height: 62, radius: 8 }), tone },
      { path: rect(182, 252, 242, 302), tone: "ink" },
      {
        path: "M182 554V440L250 360L310 430L352 384L424 470V554Z",
        tone: draws.pick(["main", "#7d4b8f", "#456b3e", "#b5562f"]),
      },
      { path: oval(346, 326, 34), tone: draws.pick(["#e8c95a", "#e07b4f", "#d8dde3"]) },
    ],
    details: [
      { path: rect(200, 210, 120, 20), tone: "white" },
      { path: rect(206, 500, 150, 22), tone: "white" },
      { path: "M196 196h40L182 480V252Z", tone: "#ffffff2e" },
    ],
    placings: ["flat"],
  };
};

const gameConsole: Draw = (draws) =>
  draws.chance(0.5)
    ? {
        pieces: [
          {
            path: "M130 400C150 330 210 330 240 350H360C390 330 450 330 470 400C500 500 506 560 460 566C420 570 400 500 372 486H228C200 500 180 570 140 566C94 560 100 500 130 400Z",
            tone: "main",
          },
          { path: "M186 400h22v22h22v22h-22v22h-22v-22h-22v-22h22Z", tone: "ink" },
        ],
        details: [
          { path: `${oval(402, 398, 14)}${oval(402, 458, 14)}`, tone: "second" },
          { path: `${oval(372, 428, 14)}${oval(432, 428, 14)}`, tone: "deep" },
          { path: `${oval(250, 476, 30)}${oval(350, 476, 30)}`, tone: "ink" },
        ],
        placings: ["flat"],
      }
    : {
        pieces: [
          { path: box({ x: 90, y: 340, width: 92, height: 240, radius: 40 }), tone: "#d9534a" },
          { path: box({ x: 418, y: 340, width: 92, height: 240, radius: 40 }), tone: "#3d8fc4" },
          { path: rect(150, 340, 300, 240), tone: "ink" },
          { path: rect(168, 360, 264, 200), tone: "#52727d" },
          { path: "M168 560V490L230 430L290 500L340 450L432 530V560Z", tone: "#6f9d6a" },
        ],
        details: [
          { path: `${oval(124, 400, 22)}${oval(476, 500, 22)}`, tone: "ink" },
          {
            path: `${oval(476, 380, 9)}${oval(476, 420, 9)}${oval(456, 400, 9)}${oval(496, 400, 9)}`,
            tone: "ink",
          },
        ],
        placings: ["flat"],
      };

export const boardGame: Draw = (draws) => {
  const lid = draws.pick(["#b8392f", "#27597f", "#2f6b45", "#c98a2f", "#5c3d77"] as const);
  return {
    pieces: [
      { path: "M110 270H490L500 590H100Z", tone: "#00000040" },
      { path: rect(104, 250, 392, 320), tone: lid },
      { path: rect(104, 546, 392, 30), tone: "#00000038" },
      { path: rect(136, 330, 328, 176), tone: "#efe3c6" },
    ],
    details: [
      { path: rect(170, 278, 260, 34), tone: "#f6efdd" },
      ...Array.from({ length: 10 }, (_unused, index): Piece => ({
        path: rect(150 + index * 31, 480, 24, 18),
        tone: draws.pick(BRICKS),
      })),
      { path: `M${draws.whole(200, 260)} 470l20-70q-16-24 10-34 26 10 10 34l20 70Z`, tone: "#c0392b" },
      { path: `M${draws.whole(320, 360)} 470l20-70q-16-24 10-34 26 10 10 34l20 70Z`, tone: "#2e6da4" },
      { path: box({ x: 276, y: 360, width: 50, height: 50, radius: 8 }), tone: "white" },
      { path: `${oval(290, 374, 4)}${oval(312, 396, 4)}${oval(301, 385, 4)}`, tone: "ink" },
    ],
    placings: ["flat"],
  };
};

export const puzzle: Draw = (draws) => {
  const bits = Array.from({ length: 16 }, (_unused, index): Piece => {
    const x = 130 + (index % 4) * 86 + draws.whole(-6, 6);
    const y = 210 + Math.floor(index / 4) * 86 + draws.whole(-6, 6);
    const knob = `a15 15 0 1 1 24 0`;
    return {
      path: `M${x} ${y}h30${knob}h30v84h-84Z`,
      tone: draws.pick(["main", "second", "deep", "pale", "#8fb0b5", "#d9b36a"]),
    };
  });
  return { pieces: bits, placings: ["flat"] };
};

export const disc: Draw = (draws) => ({
  pieces: [
    { path: oval(372, 400, 152), tone: "#1f1f22" },
    { path: rect(104, 246, 308, 308), tone: "main" },
    {
      path: draws.pick([
        oval(258, 400, 96),
        "M130 520L230 320L300 440L340 380L390 520Z",
        rect(170, 300, 176, 150),
      ]),
      tone: "second",
    },
    { path: rect(128, 270, 150, 18), tone: "white" },
  ],
  seams: [oval(372, 400, 136), oval(372, 400, 112), oval(372, 400, 88)],
  placings: ["flat"],
});

/** Under the name of its shape, which the language uses for something else. */
export { gameConsole as console };
