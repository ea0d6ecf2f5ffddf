import type { Draws } from "../../world/draws.ts";
import { bothSides, box, oval, rect, symmetric, type Draw, type Drawing, type Piece } from "../drawing.ts";

/** Jackets and coats: sleeves, an opening in front, something to close it. */

const FRONT_FOLDS = ["M226 360C236 460 232 560 218 650", "M374 360C364 460 368 560 382 650"];
const SLEEVE_FOLDS = ["M410 280C424 350 448 420 454 500", "M190 280C176 350 152 420 146 500"];

/** Half of the outline down to a hem of this width. */
function half(hemY: number, hemX: number): string {
  const sleeve = "60 150, 98 156 124 168 138 182, 182 220 212 400 230 574, 208 588 188 590 170 586";
  const side = `160 480 154 400 146 334, 140 440 ${hemX - 8} ${hemY - 80} ${hemX} ${hemY}`;
  return `${sleeve}, ${side}, ${hemX * 0.6} ${hemY + 12} ${hemX * 0.3} ${hemY + 13} 0 ${hemY + 13}`;
}

const ARMHOLES = bothSides("138 190, 128 236 130 292 146 334", false);

function lapels(depthY: number, width: number): readonly Piece[] {
  return [
    {
      path: bothSides(`58 146, 66 172, ${width} 262, ${width - 18} 282, 4 ${depthY}, 2 220`),
      tone: "pale",
    },
    {
      path: bothSides("60 142, 84 176, 60 226, 2 218"),
      tone: "deep",
    },
  ];
}

export const blazer: Draw = (draws) => {
  const hemY = draws.whole(620, 670);
  const closeY = draws.whole(400, 470);
  return {
    pieces: [
      { path: `M236 150Q300 122 364 150L300 ${closeY}Z`, tone: "inside" },
      { path: symmetric(half(hemY, 142), closeY + 120), tone: "main" },
      ...lapels(closeY, 88),
    ],
    details: [
      {
        path: bothSides("50 510, 112 500, 114 522, 50 532"),
        tone: "deep",
      },
      { path: "M214 344h46v9h-46Z", tone: "deep" },
      ...[closeY + 26, closeY + 96].map((y): Piece => ({ path: oval(306, y, 8), tone: "ink" })),
    ],
    folds: [...FRONT_FOLDS, ...SLEEVE_FOLDS],
    seams: [`M302 ${closeY}V${hemY + 12}`, ARMHOLES],
    placings: ["hung", "hung", "flat"],
    shoulderY: 160,
  };
};

export const coat: Draw = (draws) => {
  const hemY = draws.whole(690, 726);
  const isBelted = draws.chance(0.35);
  const isDouble = draws.chance(0.5);
  const buttonX = isDouble ? [262, 338] : [306];
  return {
    pieces: [
      { path: "M236 150Q300 122 364 150L300 400Z", tone: "inside" },
      { path: symmetric(half(hemY, 168), 450), tone: "main" },
      ...lapels(360, 104),
    ],
    details: [
      {
        path: bothSides("64 520, 126 506, 128 530, 64 546"),
        tone: "deep",
      },
      ...(isBelted ? belt(440) : []),
      ...buttonX.flatMap((x) => [400, 490, 580].map((y): Piece => ({ path: oval(x, y, 9), tone: "ink" }))),
    ],
    folds: [...FRONT_FOLDS, ...SLEEVE_FOLDS, "M270 480C262 560 258 640 250 720"],
    seams: [`M302 372V${hemY + 12}`, ARMHOLES],
    placings: ["hung", "hung", "flat"],
    shoulderY: 160,
  };
};

function belt(y: number): readonly Piece[] {
  return [
    {
      path: symmetric(`140 ${y - 14}, 141 ${y + 16}, 0 ${y + 22}`),
      tone: "deep",
    },
    { path: rect(282, y - 14, 40, 38), tone: "gold" },
    { path: `M306 ${y + 20}l34 120-22 6-28-120Z`, tone: "deep" },
  ];
}

export const jacket: Draw = (draws) => {
  const kind = draws.pick(["denim", "biker", "bomber", "rain"] as const);
  const hemY = kind === "rain" ? 650 : draws.whole(560, 610);
  return {
    pieces: [
      { path: "M236 150Q300 122 364 150L324 260H276Z", tone: "inside" },
      { path: symmetric(half(hemY, 140), 232), tone: "main" },
    ],
    ...jacketFront(kind, hemY, draws),
    folds: [...FRONT_FOLDS.map((path) => path.replace("650", "580")), ...SLEEVE_FOLDS],
    placings: ["flat", "hung"],
    shoulderY: 160,
  };
};

type JacketKind = "denim" | "biker" | "bomber" | "rain";

const CUFFS: Piece = { path: bothSides("164 548, 226 538, 232 580, 170 594"), tone: "deep" };
const COLLAR: Piece = { path: bothSides("62 144, 82 178, 44 250, 2 200"), tone: "pale" };
const YOKE = bothSides("2 300, 140 288", false);

function jacketFront(
  kind: JacketKind,
  hemY: number,
  draws: Draws,
): Pick<Drawing, "details" | "seams" | "stitches"> {
  const hem: Piece = {
    path: symmetric(`139 ${hemY - 30}, 142 ${hemY + 8}, 90 ${hemY + 18} 40 ${hemY + 18} 0 ${hemY + 18}`),
    tone: "deep",
  };
  const zip: Piece = { path: rect(296, 208, 8, hemY - 196), tone: "metal" };
  const fronts: Readonly<Record<JacketKind, Pick<Drawing, "details" | "seams" | "stitches">>> = {
    denim: denimFront(hem, hemY),
    biker: {
      details: [
        hem,
        { path: bothSides("58 146, 70 172, 104 268, 84 292, 6 330, 2 214"), tone: "pale" },
        { path: `M250 230L${draws.whole(330, 344)} ${hemY}h10L262 230Z`, tone: "metal" },
        { path: bothSides("70 440, 120 400, 126 410, 76 450"), tone: "metal" },
      ],
      seams: [ARMHOLES, YOKE],
    },
    bomber: {
      details: [hem, CUFFS, zip, { path: "M240 148Q300 190 360 148L364 182Q300 226 236 182Z", tone: "deep" }],
      seams: [ARMHOLES, bothSides("70 430, 112 500", false)],
    },
    rain: {
      details: [
        { path: "M230 178C204 98 396 98 370 178C350 222 250 222 230 178Z", tone: "deep" },
        zip,
        { path: bothSides("60 480, 124 474, 126 560, 60 566"), tone: "deep" },
      ],
      seams: [ARMHOLES, YOKE],
    },
  };
  return fronts[kind];
}

function denimFront(hem: Piece, hemY: number): Pick<Drawing, "details" | "seams" | "stitches"> {
  const pockets: Piece = { path: bothSides("52 320, 116 314, 114 342, 84 354, 54 348"), tone: "deep" };
  const buttons = [260, 330, 400, 470, 540].map((y): Piece => ({ path: oval(300, y, 7), tone: "gold" }));
  return {
    details: [hem, CUFFS, COLLAR, pockets, ...buttons],
    seams: [ARMHOLES, `M300 204V${hemY}`, YOKE],
    stitches: [bothSides(`84 360, 70 ${hemY - 36}`, false), bothSides("4 306, 138 294", false)],
  };
}

export const puffer: Draw = (draws) => {
  const hemY = draws.pick([580, 600, 700]);
  const isSleeveless = draws.chance(0.25);
  const rows = Array.from(
    { length: Math.floor((hemY - 250) / 62) + 1 },
    (_unused, index) => 250 + index * 62,
  );
  const body = isSleeveless
    ? symmetric(
        `62 150, 112 160, 118 240 128 290 156 330, 152 440 150 540 152 ${hemY}, 80 ${hemY + 16} 40 ${hemY + 16} 0 ${hemY + 16}`,
        220,
      )
    : symmetric(half(hemY, 152), 220);
  const sleeveRows = isSleeveless
    ? []
    : [290, 350, 410, 470, 530].map((y) =>
        bothSides(
          `${146 + (y - 290) * 0.09} ${y + 18}, 172 ${y + 30} 190 ${y + 12} ${196 + (y - 290) * 0.12} ${y - 6}`,
          false,
        ),
      );
  const hasFur = draws.chance(0.3);
  return {
    pieces: [
      {
        path: "M222 186C196 96 250 74 300 74C350 74 404 96 378 186C350 224 250 224 222 186Z",
        tone: hasFur ? "#cdb99a" : "deep",
      },
      {
        path: "M252 178C242 124 270 108 300 108C330 108 358 124 348 178C330 204 270 204 252 178Z",
        tone: "inside",
      },
      { path: body, tone: "main" },
    ],
    details: [
      { path: rect(295, 196, 10, hemY - 184), tone: "metal" },
      { path: box({ x: 218, y: hemY - 130, width: 46, height: 8, radius: 4 }), tone: "deep" },
    ],
    folds: rows.map((y) => `M158 ${y + 16}Q300 ${y + 40} 442 ${y + 16}`),
    seams: [
      ...rows.map((y) => `M156 ${y}Q228 ${y + 20} 296 ${y + 8}M304 ${y + 8}Q372 ${y + 20} 444 ${y}`),
      ...sleeveRows,
    ],
    placings: ["hung", "flat"],
    shoulderY: 160,
  };
};
