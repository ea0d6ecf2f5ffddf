import { bothSides, box, oval, rect, symmetric, type Draw } from "../drawing.ts";

/** Bags, belts and other leather. */

export const handbag: Draw = (draws) => {
  const isTall = draws.chance(0.4);
  const topY = isTall ? 300 : 350;
  const isFlap = draws.chance(0.5);
  const bottom = draws.whole(150, 186);
  return {
    pieces: [
      {
        path: `M206 ${topY + 10}C196 ${topY - 190} 404 ${topY - 190} 394 ${topY + 10}L376 ${topY + 10}C384 ${topY - 160} 216 ${topY - 160} 224 ${topY + 10}Z`,
        tone: "deep",
      },
      {
        path: symmetric(
          `150 ${topY}, 156 ${topY + 60} ${bottom} 600 ${bottom} 626, ${bottom} 646 ${bottom - 16} 650 ${bottom - 30} 650, 0 652`,
        ),
        tone: "main",
        isPatterned: false,
      },
      ...(isFlap
        ? [
            {
              path: symmetric(
                `152 ${topY - 2}, 156 ${topY + 40} 154 ${topY + 120} 138 ${topY + 150}, 90 ${topY + 172} 40 ${topY + 176} 0 ${topY + 178}`,
              ),
              tone: "pale",
            } as const,
          ]
        : [
            {
              path: symmetric(`150 ${topY}, 153 ${topY + 40}, 0 ${topY + 46}`),
              tone: "deep",
            } as const,
          ]),
    ],
    details: [
      ...(isFlap
        ? [
            { path: box({ x: 278, y: topY + 150, width: 44, height: 40, radius: 8 }), tone: "gold" } as const,
            { path: rect(296, topY + 158, 8, 22), tone: "ink" } as const,
          ]
        : [{ path: rect(168, topY + 16, 264, 7), tone: "metal" } as const]),
      {
        path: bothSides(`92 ${topY - 8}, 76 ${topY - 8}, 76 ${topY + 18}, 92 ${topY + 18}`),
        tone: "gold",
      },
    ],
    folds: [`M190 ${topY + 130}C180 500 182 570 190 630`, `M410 ${topY + 130}C420 500 418 570 410 630`],
    seams: [`M146 622Q300 650 454 622`],
    stitches: [symmetric(`140 ${topY + 12}, 146 ${topY + 70} ${bottom - 12} 590 ${bottom - 12} 620, 0 640`)],
    placings: ["stood", "stood", "hung"],
    shoulderY: topY - 138,
    groundY: 650,
  };
};

export const backpack: Draw = () => ({
  pieces: [
    { path: "M262 190C262 132 338 132 338 190L322 196C322 156 278 156 278 196Z", tone: "deep" },
    {
      path: bothSides("150 330, 196 360, 200 560, 150 600"),
      tone: "deep",
    },
    {
      path: symmetric("60 178, 132 184 160 230 162 300, 166 620, 164 650 148 656 120 656, 0 658"),
      tone: "main",
      isPatterned: true,
    },
    { path: box({ x: 186, y: 436, width: 228, height: 186, radius: 26 }), tone: "pale", isPatterned: true },
  ],
  details: [
    { path: "M160 318C170 300 430 300 440 318L440 326C430 310 170 310 160 326Z", tone: "metal" },
    { path: rect(200, 462, 200, 7), tone: "metal" },
    { path: rect(392, 460, 9, 40), tone: "second" },
    { path: box({ x: 256, y: 350, width: 88, height: 50, radius: 6 }), tone: "second" },
  ],
  folds: ["M200 230C186 320 184 400 186 430", "M400 230C414 320 416 400 414 430"],
  seams: ["M186 560H414"],
  placings: ["stood", "hung"],
  shoulderY: 150,
  groundY: 656,
});

export const pouch: Draw = (draws) => ({
  pieces: [
    { path: box({ x: 128, y: 316, width: 344, height: 216, radius: 22 }), tone: "main", isPatterned: true },
    ...(draws.chance(0.5)
      ? [
          {
            path: "M128 338Q128 316 150 316H450Q472 316 472 338L472 380L300 474L128 380Z",
            tone: "pale",
          } as const,
        ]
      : []),
  ],
  details: [
    { path: rect(146, 332, 308, 8), tone: "metal" },
    { path: box({ x: 432, y: 338, width: 14, height: 54, radius: 6 }), tone: "second" },
    { path: oval(300, 466, 13), tone: "gold" },
  ],
  folds: ["M200 400C190 450 190 490 196 520", "M400 400C410 450 410 490 404 520"],
  stitches: [box({ x: 138, y: 348, width: 324, height: 174, radius: 16 })],
  placings: ["flat"],
});

export const suitcase: Draw = (draws) =>
  draws.chance(0.5)
    ? {
        pieces: [
          { path: "M262 250V150H338V250H326V162H274V250Z", tone: "metal" },
          { path: box({ x: 150, y: 246, width: 300, height: 380, radius: 34 }), tone: "main" },
        ],
        details: [
          { path: oval(198, 640, 18), tone: "ink" },
          { path: oval(402, 640, 18), tone: "ink" },
          { path: box({ x: 262, y: 232, width: 76, height: 22, radius: 9 }), tone: "ink" },
        ],
        seams: [196, 240, 284, 328, 372, 404].map((x) => `M${x} 266V606`),
        folds: ["M170 300V580"],
        placings: ["stood"],
        groundY: 658,
      }
    : {
        pieces: [
          { path: "M214 372C214 286 386 286 386 372L368 376C368 310 232 310 232 376Z", tone: "deep" },
          {
            path: "M98 400C98 366 122 360 150 360H450C478 360 502 366 502 400L510 590C510 620 494 632 470 632H130C106 632 90 620 90 590Z",
            tone: "main",
          },
          { path: box({ x: 200, y: 452, width: 200, height: 140, radius: 14 }), tone: "pale" },
        ],
        details: [
          { path: rect(120, 376, 360, 8), tone: "metal" },
          {
            path: bothSides("110 362, 126 362, 134 630, 116 630"),
            tone: "deep",
          },
        ],
        folds: ["M130 440C120 500 122 560 130 610", "M470 440C480 500 478 560 470 610"],
        placings: ["stood"],
        groundY: 632,
      };

export const belt: Draw = (draws) => {
  const width = draws.whole(30, 46);
  const coil = `M300 260C420 260 480 330 480 410C480 500 400 560 300 560C210 560 150 500 150 420C150 350 210 310 290 310C370 310 420 350 420 412C420 470 370 506 306 506C250 506 214 470 214 426`;
  return {
    pieces: [{ path: coil, tone: "main" }],
    details: [
      { path: `M276 232h70v70h-70ZM292 248v38h38v-38Z`, tone: draws.chance(0.5) ? "gold" : "metal" },
      { path: `M300 262h56v10h-56Z`, tone: "metal" },
    ],
    stitches: [coil],
    strokeWidth: width,
    placings: ["flat"],
  };
};
