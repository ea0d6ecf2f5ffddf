import type { Draws } from "../../world/draws.ts";
import { bothSides, box, oval, rect, symmetric, type Draw, type Drawing, type Piece } from "../drawing.ts";

/** Things for the upper body, laid out with their sleeves down. */

const BODY_FOLDS = [
  "M236 330C250 430 244 540 226 640",
  "M372 330C356 430 362 540 380 640",
  "M300 420C292 500 296 580 306 650",
];

export const tshirt: Draw = (draws) => {
  const neckY = draws.pick([196, 214, 244]);
  const length = draws.whole(600, 670);
  const body = symmetric(
    `60 152, 88 160 112 168 126 176, 166 198 206 262 230 326, 206 344 186 352 168 356, 154 330 144 312 134 300, 128 420 130 540 136 ${length}, 90 ${length + 12} 40 ${length + 14} 0 ${length + 14}`,
    neckY,
  );
  return {
    pieces: [
      { path: `M238 154Q300 128 362 154Q300 ${neckY} 238 154Z`, tone: "inside" },
      { path: body, tone: "main", isPatterned: true },
    ],
    folds: [...BODY_FOLDS, "M180 250C200 290 210 310 166 350", "M420 250C400 290 390 310 434 350"],
    seams: [
      `M234 160Q300 ${neckY + 22} 366 160`,
      bothSides("128 182, 120 220 122 270 134 300", false),
      `M166 ${length - 14}Q300 ${length + 6} 434 ${length - 14}`,
    ],
    details: draws.chance(0.4) ? chestPrint(draws) : [],
    placings: ["flat", "flat", "hung"],
    shoulderY: 160,
  };
};

/** Something printed on the chest; no real mark. */
function chestPrint(draws: Draws): readonly Piece[] {
  const y = draws.whole(310, 350);
  const shapes: readonly (readonly Piece[])[] = [
    [
      { path: oval(300, y + 40, 62), tone: "second" },
      { path: oval(300, y + 40, 40), tone: "deep" },
    ],
    [
      { path: rect(226, y, 148, 26), tone: "second" },
      { path: rect(248, y + 40, 104, 14), tone: "second" },
    ],
    [{ path: `M300 ${y - 20}l18 44 48 4-37 31 12 47-41-26-41 26 12-47-37-31 48-4Z`, tone: "second" }],
    [
      { path: box({ x: 236, y, width: 128, height: 128, radius: 8 }), tone: "second" },
      { path: `M248 ${y + 116}l36-52 24 30 18-20 34 42Z`, tone: "deep" },
    ],
    [{ path: oval(354, y - 66, 15, 11), tone: "second" }],
  ];
  return draws.pick(shapes);
}

export const tank: Draw = (draws) => {
  const length = draws.whole(500, 640);
  const neckY = draws.pick([330, 390]);
  return {
    pieces: [
      { path: `M226 150Q300 250 374 150L360 200Q300 280 240 200Z`, tone: "inside" },
      {
        path: symmetric(
          `66 136, 98 134, 104 210 112 260 144 306, 138 420 140 500 146 ${length}, 90 ${length + 14} 40 ${length + 16} 0 ${length + 16}`,
          neckY,
        ),
        tone: "main",
        isPatterned: true,
      },
    ],
    folds: BODY_FOLDS.slice(0, 2),
    seams: [`M232 146Q300 ${neckY + 16} 368 146`, bothSides("92 140, 98 214 106 264 136 304", false)],
    placings: ["flat", "hung"],
    shoulderY: 140,
  };
};

function longSleeved(length: number, neckY: number): string {
  return symmetric(
    `58 152, 92 160 116 170 130 180, 172 214 206 390 226 560, 206 572 188 574 172 572, 160 470 152 390 138 326, 132 440 134 540 140 ${length}, 96 ${length + 12} 40 ${length + 14} 0 ${length + 14}`,
    neckY,
  );
}

const SLEEVE_FOLDS = [
  "M404 260C420 350 446 380 452 480",
  "M196 260C180 350 154 380 148 480",
  "M420 400l34-14",
  "M180 420l-34-14",
];
const ARMHOLES = bothSides("132 188, 122 230 124 286 138 326", false);

export const shirt: Draw = (draws) => {
  const length = draws.whole(630, 680);
  const isOpenCollar = draws.chance(0.5);
  return {
    pieces: [
      { path: "M236 152Q300 120 364 152L340 214H260Z", tone: "inside" },
      { path: longSleeved(length, isOpenCollar ? 250 : 190), tone: "main", isPatterned: true },
    ],
    details: [
      { path: "M242 146L300 206L262 250L226 166Z", tone: "pale", isPatterned: true },
      { path: "M358 146L300 206L338 250L374 166Z", tone: "pale", isPatterned: true },
      { path: rect(340, 316, 62, 72), tone: "deep" },
      { path: rect(342, 318, 58, 68), tone: "main", isPatterned: true },
      ...[270, 350, 430, 510, 590].map((y): Piece => ({ path: oval(300, y, 5), tone: "white" })),
      {
        path: bothSides("168 540, 228 530, 231 566, 172 576"),
        tone: "pale",
        isPatterned: true,
      },
    ],
    folds: [...BODY_FOLDS, ...SLEEVE_FOLDS],
    seams: [`M286 214V${length + 10}`, `M314 214V${length + 10}`, ARMHOLES],
    placings: ["hung", "flat"],
    shoulderY: 162,
  };
};

export const sweater: Draw = (draws) => {
  const length = draws.whole(590, 640);
  const isHighNeck = draws.chance(0.25);
  const neck: readonly Piece[] = isHighNeck
    ? [{ path: "M246 104Q300 92 354 104L362 172Q300 198 238 172Z", tone: "pale", isPatterned: true }]
    : [];
  return {
    pieces: [
      { path: "M238 154Q300 128 362 154Q300 214 238 154Z", tone: "inside" },
      { path: longSleeved(length, 206), tone: "main", isPatterned: true },
      ...neck,
    ],
    details: [
      {
        path: symmetric(
          `140 ${length - 34}, 142 ${length + 10}, 90 ${length + 18} 40 ${length + 18} 0 ${length + 18}`,
        ),
        tone: "deep",
      },
      {
        path: bothSides("168 528, 222 520, 229 564, 172 578"),
        tone: "deep",
      },
    ],
    folds: [...BODY_FOLDS, ...SLEEVE_FOLDS],
    seams: [ARMHOLES, ...(isHighNeck ? ["M238 150Q300 176 362 150"] : ["M232 160Q300 234 368 160"])],
    placings: ["flat", "hung"],
    shoulderY: 162,
  };
};

export const hoodie: Draw = (draws) => {
  const base = sweater(draws);
  const isZipped = draws.chance(0.4);
  return {
    ...base,
    pieces: [
      { path: "M222 188C190 96 250 66 300 66C350 66 410 96 378 188C350 226 250 226 222 188Z", tone: "deep" },
      {
        path: "M250 176C238 122 268 100 300 100C332 100 362 122 350 176C330 204 270 204 250 176Z",
        tone: "inside",
      },
      ...base.pieces.slice(1, 2),
    ],
    details: [
      ...(base.details ?? []),
      { path: "M226 596L244 470H356L374 596Z", tone: "deep" },
      { path: "M231 592L248 475H352L369 592Z", tone: "main" },
      { path: "M277 206q-6 40-2 92l6 0q-2-50 2-92ZM323 206q6 40 2 92l-6 0q2-50-2-92Z", tone: "white" },
      ...(isZipped ? [{ path: rect(296, 214, 8, 400), tone: "metal" } as const] : []),
    ],
    seams: [ARMHOLES, "M222 190Q300 250 378 190"],
    shoulderY: 170,
  };
};

export const cardigan: Draw = (draws) => {
  const length = draws.whole(600, 690);
  const open = draws.whole(4, 40);
  return {
    pieces: [
      { path: `M240 152Q300 126 360 152L${300 + open} ${length + 6}H${300 - open}Z`, tone: "inside" },
      { path: cardiganSide(length, open), tone: "main", isPatterned: true },
    ],
    details: [
      {
        path: bothSides(
          `58 150, 70 156, ${open + 22} 330, ${open + 22} ${length + 12}, ${open} ${length + 12}, ${open} 322`,
        ),
        tone: "deep",
      },
      ...[370, 440, 510, 580].map((y): Piece => ({ path: oval(300 + open + 11, y, 7), tone: "second" })),
      {
        path: bothSides("168 528, 222 520, 229 564, 172 578"),
        tone: "deep",
      },
    ],
    folds: [...BODY_FOLDS.slice(0, 2), ...SLEEVE_FOLDS],
    seams: [ARMHOLES],
    placings: ["hung", "flat"],
    shoulderY: 162,
  };
};

function cardiganSide(length: number, open: number): string {
  return bothSides(
    `58 152, 92 160 116 170 130 180, 172 214 206 390 226 560, 206 572 188 574 172 572, 160 470 152 390 138 326, 132 440 134 540 140 ${length}, 96 ${length + 12} 60 ${length + 12} ${open} ${length + 12}, ${open} 322`,
  );
}

const LONG_LEGS =
  "104 190 128 206 176 356, 140 374, 120 330 112 316 106 308, 120 400 128 470 116 600, 128 660 96 676 62 668, 50 600 40 520 10 480, 0 478";
const SHORT_LEGS =
  "104 190 124 206 158 300, 122 322, 112 308, 120 400 128 460 122 500, 90 510 56 540 46 600, 0 604";

export const babygrow: Draw = (draws) => {
  const hasFeet = draws.chance(0.6);
  const body: Drawing = {
    pieces: [
      { path: "M246 176Q300 152 354 176Q300 214 246 176Z", tone: "inside" },
      {
        path: symmetric(`52 172, ${hasFeet ? LONG_LEGS : SHORT_LEGS}`, 206),
        tone: "main",
        isPatterned: true,
      },
    ],
    folds: ["M252 320C262 380 258 430 246 480", "M348 320C338 380 342 430 354 480"],
    seams: ["M244 178Q300 226 356 178"],
    placings: ["flat"],
  };
  const snaps = hasFeet
    ? [230, 290, 350, 410, 460].map((y) => oval(300, y, 5))
    : [270, 300, 330].map((x) => oval(x, 590, 5));
  return {
    ...body,
    details: [
      ...snaps.map((path): Piece => ({ path, tone: "white" })),
      { path: oval(346, 268, 15), tone: "second" },
    ],
  };
};
