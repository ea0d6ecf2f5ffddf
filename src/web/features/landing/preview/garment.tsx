/** Clothes drawn by hand, in any cloth: `currentColor` is the cloth, folds and seams are its own light and shade. */
import type { ReactNode } from "react";
import "./garment.css";

const Hanger = () => (
  <path className="garment__hanger" d="M60 33c0-6 6-5 6-11a6 6 0 0 0-12 0M60 33 34 45M60 33l26 12" />
);

const Sleeves = ({ left, right }: { readonly left: string; readonly right: string }) => (
  <>
    <path className="garment__cloth" d={left} />
    <path className="garment__shade" d={left} />
    <path className="garment__cloth" d={right} />
    <path className="garment__shade" d={right} />
  </>
);

const LONG_SLEEVES = {
  left: "M39 40 23 48C16 66 12 92 10 121l13 3c3-19 7-38 13-53Z",
  right: "M81 40l16 8c7 18 11 44 13 73l-13 3c-3-19-7-38-13-53Z",
};

const drawings: Readonly<Record<GarmentName, ReactNode>> = {
  jacket: (
    <>
      <Hanger />
      <Sleeves {...LONG_SLEEVES} />
      <path className="garment__lining" d="M45 37h30L60 60Z" />
      <path
        className="garment__cloth"
        d="M45 36 34 42c-5 26-5 55-4 82q15 4 30 4t30-4c1-27 1-56-4-82l-11-6-15 20Z"
      />
      <path className="garment__fold" d="M60 56v72q15 0 30-4c1-27 1-56-4-82l-3-2c-3 24-12 34-23 16Z" />
      <path className="garment__cloth" d="m45 36-8 5 7 20 16-5Zm30 0 8 5-7 20-16-5Z" />
      <path className="garment__light" d="m45 36-8 5 7 20 16-5Zm30 0 8 5-7 20-16-5Z" />
      <path
        className="garment__seam"
        d="M60 56v64M30 117q15 4 30 4t30-4M36 72h18v7l-9 5-9-5ZM66 72h18v7l-9 5-9-5ZM41 84l6 34M79 84l-6 34M11 113l13 3M109 113l-13 3"
      />
      <g className="garment__button">
        <circle cx="57" cy="66" r="1.5" />
        <circle cx="57" cy="82" r="1.5" />
        <circle cx="57" cy="98" r="1.5" />
        <circle cx="57" cy="114" r="1.5" />
      </g>
    </>
  ),
  hoodie: (
    <>
      <Sleeves {...LONG_SLEEVES} />
      <path className="garment__cloth" d="M43 38 33 43c-4 26-4 57-3 86q30 5 60 0c1-29 1-60-3-86l-10-5Z" />
      <path className="garment__fold" d="M74 40c2 28 6 60 2 91l14-2c1-29 1-60-3-86l-10-5Z" />
      <path className="garment__cloth" d="M41 43c-4-27 42-27 38 0-2 12-11 17-19 19-8-2-17-7-19-19Z" />
      <path className="garment__lining" d="M47 42c-2-19 28-19 26 0-2 9-8 13-13 15-5-2-11-6-13-15Z" />
      <path className="garment__light" d="M41 43c-4-27 42-27 38 0-1-22-37-22-38 0Z" />
      <path className="garment__cord" d="M53 56c-1 8-2 14-1 24M67 56c1 7 2 12 1 20" />
      <path className="garment__shade" d="M42 97h36l8 21v4H34v-4Z" />
      <path
        className="garment__seam"
        d="m42 97-8 21v4M78 97l8 21v4M42 97h36M30 123q30 5 60 0M11 114l13 3M109 114l-13 3"
      />
    </>
  ),
  trench: (
    <>
      <Hanger />
      <Sleeves
        left="M40 38 26 45c-6 18-10 40-12 66l12 3c2-16 6-30 11-42Z"
        right="M80 38l14 7c6 18 10 40 12 66l-12 3c-2-16-6-30-11-42Z"
      />
      <path className="garment__lining" d="M46 36h28L60 66Z" />
      <path
        className="garment__cloth"
        d="M46 35 35 41c-3 15-2 30 0 44-4 22-7 42-8 61q33 6 66 0c-1-19-4-39-8-61 2-14 3-29 0-44l-11-6-14 29Z"
      />
      <path
        className="garment__fold"
        d="M66 52c-3 34-1 64-2 97 10 0 20-1 29-3-1-19-4-39-8-61 2-14 3-29 0-44l-3-2Z"
      />
      <path className="garment__cloth" d="m46 35-9 5-2 18 9 5 4 10 12-10Zm28 0 9 5 2 18-9 5-4 10-12-10Z" />
      <path className="garment__light" d="m46 35-9 5-2 18 9 5 4 10 12-10Zm28 0 9 5 2 18-9 5-4 10-12-10Z" />
      <path className="garment__shade" d="M34 82h52l1 9H33Z" />
      <path
        className="garment__seam"
        d="M34 82h52M33 91h54M64 92l-1 56M40 112l10-4M80 112l-10-4M15 104l12 3M105 104l-12 3"
      />
      <path className="garment__trim" d="M56 80h11v13H56Zm3 3v7h5v-7Z" />
      <g className="garment__button">
        <circle cx="52" cy="74" r="1.7" />
        <circle cx="69" cy="74" r="1.7" />
        <circle cx="53" cy="104" r="1.7" />
        <circle cx="70" cy="104" r="1.7" />
        <circle cx="53" cy="120" r="1.7" />
        <circle cx="70" cy="120" r="1.7" />
      </g>
    </>
  ),
  dress: (
    <>
      <Hanger />
      <path className="garment__strap" d="m46 39 1 18M74 39l-1 18" />
      <path
        className="garment__cloth"
        d="M44 57c6 3 11 3 16-1 5 4 10 4 16 1 2 10 0 20-3 27 7 20 14 40 18 61q-15 6-31 6t-31-6c4-21 11-41 18-61-3-7-5-17-3-27Z"
      />
      <path
        className="garment__fold"
        d="M62 84c7 22 8 45 7 66 8-1 15-3 22-5-4-21-11-41-18-61 3-7 5-17 3-27-2 1-4 2-6 2 1 9-2 18-8 25Z"
      />
      <path
        className="garment__sheen"
        d="M46 61c0 9 2 16 5 22-6 20-12 40-15 60l8 3c1-22 6-43 12-62-4-7-8-14-10-23Z"
      />
      <path className="garment__seam" d="M47 84q13 4 26 0M60 86c-3 22-6 42-7 63M66 86c7 20 12 40 15 62" />
    </>
  ),
  jeans: (
    <>
      <path
        className="garment__cloth"
        d="M37 24h46l4 30c2 32 3 63 2 94l-22 2c-1-30-3-56-7-78-4 22-6 48-7 78l-22-2c-1-31 0-62 2-94Z"
      />
      <path
        className="garment__sheen"
        d="M41 66c-3 18-4 38-3 58 5-14 8-36 8-56Zm38 0c3 18 4 38 3 58-5-14-8-36-8-56Z"
      />
      <path className="garment__fold" d="M60 24h23l4 30c2 32 3 63 2 94l-9 1c2-34-1-66-20-77Z" />
      <path className="garment__shade" d="M37 24h46l1 8H36Z" />
      <path
        className="garment__seam"
        d="M36 32h48M60 32v40M60 58c4 0 6-4 6-12V32M38 34c1 8 6 12 12 12V32M82 34c-1 8-6 12-12 12V32M31 142l22 2M89 142l-22 2M45 24v8M75 24v8"
      />
      <g className="garment__button">
        <circle cx="60" cy="28" r="1.8" />
      </g>
    </>
  ),
  sneaker: (
    <>
      <ellipse className="garment__cast" cx="61" cy="117" rx="52" ry="5" />
      <path
        className="garment__cloth"
        d="M14 104c-2-16 1-30 8-39 6 6 14 6 22 3l12-9 26 22c12 5 26 8 27 23Z"
      />
      <path className="garment__fold" d="M14 104c-2-16 1-30 8-39 3 3 6 4 10 4-6 10-8 22-6 35Z" />
      <path className="garment__shade" d="M82 81c12 5 26 8 27 23H80c-2-9-1-17 2-23Z" />
      <path className="garment__accent" d="m43 100 16-29 9 4-15 25Z" />
      <path className="garment__sole" d="M12 102h98c3 6 2 11-3 12H19c-7 0-9-6-7-12Z" />
      <path className="garment__seam" d="M12 107h98M80 102c-2-8-1-15 2-21M26 102c-2-12 0-23 6-33" />
      <path className="garment__cord" d="m54 64 9-3M59 70l9-4M65 75l8-4M71 80l8-4" />
    </>
  ),
  bag: (
    <>
      <ellipse className="garment__cast" cx="60" cy="138" rx="46" ry="5" />
      <path className="garment__strap garment__strap--wide" d="M36 76c-2-62 50-62 48 0" />
      <path className="garment__cloth" d="M23 72q37 6 74 0l8 58c1 7-8 9-45 9s-46-2-45-9Z" />
      <path className="garment__fold" d="M76 74q10-1 21-2l8 58c1 6-6 8-30 9 4-20 5-42 1-65Z" />
      <path className="garment__light" d="M23 72q37 6 74 0l1 8q-38 7-76 0Z" />
      <path className="garment__seam" d="M21 84q39 7 78 0M17 124q43 8 86 0" />
      <path className="garment__trim" d="M54 78h12v18q-6 5-12 0Zm3.5 4v10h5V82Z" />
    </>
  ),
  knit: (
    <>
      <Sleeves {...LONG_SLEEVES} />
      <path className="garment__lining" d="M45 36q15-6 30 0-15 17-30 0Z" />
      <path
        className="garment__cloth"
        d="M45 36 33 42c-4 26-4 56-3 85q30 6 60 0c1-29 1-59-3-85l-12-6q-15 15-30 0Z"
      />
      <path className="garment__fold" d="M78 38c2 30 4 62-1 91l13-2c1-29 1-59-3-85Z" />
      <path className="garment__light" d="m45 36-3 2q18 18 36 0l-3-2q-15 15-30 0Z" />
      <path
        className="garment__cable"
        d="M60 54c-7 5 7 9 0 14s7 9 0 14 7 9 0 14 7 9 0 14 3 6 2 7M43 50c-5 5 5 9 0 14s5 9 0 14 5 9 0 14 5 9 0 14 2 6 1 8M77 50c5 5-5 9 0 14s-5 9 0 14-5 9 0 14-5 9 0 14-2 6-1 8"
      />
      <path
        className="garment__seam"
        d="M30 119q30 6 60 0M36 120v8M44 121v8M52 122v8M60 122v8M68 122v8M76 121v8M84 120v8M11 113l13 3M109 113l-13 3"
      />
    </>
  ),
  puffer: (
    <>
      <Sleeves
        left="M38 44c-13 2-19 12-22 26-4 18-5 34-5 50 4 4 10 4 14 2 1-20 5-36 12-50Z"
        right="M82 44c13 2 19 12 22 26 4 18 5 34 5 50-4 4-10 4-14 2-1-20-5-36-12-50Z"
      />
      <path
        className="garment__cloth"
        d="M42 42c-9 2-12 7-11 14-3 5-3 10 0 14-3 6-3 11 0 15-3 6-3 11 0 15-3 6-3 11 0 15-2 5-1 9 3 11q26 6 52 0c4-2 5-6 3-11 3-4 3-9 0-15 3-4 3-9 0-15 3-4 3-9 0-15 3-4 3-9 0-14 1-7-2-12-11-14Z"
      />
      <path
        className="garment__fold"
        d="M60 52v77q13 0 26-3c4-2 5-6 3-11 3-4 3-9 0-15 3-4 3-9 0-15 3-4 3-9 0-15 3-4 3-9 0-14-8 4-18 4-29-4Z"
      />
      <path className="garment__cloth" d="M44 30c-4 6-5 13-3 20q19 8 38 0c2-7 1-14-3-20-9-5-23-5-32 0Z" />
      <path className="garment__lining" d="M47 31c8-4 18-4 26 0-6 5-20 5-26 0Z" />
      <path
        className="garment__sheen"
        d="M35 58c4-3 10-3 18-1-6 1-13 2-18 1Zm0 15c4-3 10-3 18-1-6 1-13 2-18 1Zm0 15c4-3 10-3 18-1-6 1-13 2-18 1Zm0 15c4-3 10-3 18-1-6 1-13 2-18 1Zm0 14c4-3 10-3 18-1-6 1-13 2-18 1Z"
      />
      <path
        className="garment__seam"
        d="M60 52v77M31 70q14 4 29 1 15 3 29-1M31 85q14 4 29 1 15 3 29-1M31 100q14 4 29 1 15 3 29-1M31 115q14 4 29 1 15 3 29-1M14 82q10 4 19 2M12 98q8 4 15 2M106 82q-10 4-19 2M108 98q-8 4-15 2M42 41q18 8 36 0"
      />
    </>
  ),
  shirt: (
    <>
      <Hanger />
      <Sleeves {...LONG_SLEEVES} />
      <path className="garment__lining" d="M48 35h24L60 50Z" />
      <path
        className="garment__cloth"
        d="M46 35 34 41c-4 26-5 56-4 84q14 8 30 2 16 6 30-2c1-28 0-58-4-84l-12-6-14 14Z"
      />
      <path
        className="garment__plaid"
        d="M33 52h54M31 68h58M30 84h60M30 100h60M30 116h60M40 41v87M50 44v85M70 44v85M80 41v87M22 54l14 4M17 72l15 4M14 90l13 3M98 54l-14 4M103 72l-15 4M106 90l-13 3"
      />
      <path className="garment__fold" d="M72 40c4 30 5 58 0 88 7 1 13 0 18-3 1-28 0-58-4-84l-12-6Z" />
      <path className="garment__cloth" d="m48 34-6 4 6 15 12-6Zm24 0 6 4-6 15-12-6Z" />
      <path className="garment__light" d="m48 34-6 4 6 15 12-6Zm24 0 6 4-6 15-12-6Z" />
      <path
        className="garment__seam"
        d="M57 50v77M63 50v78M66 70h14v15l-7 3-7-3ZM11 113l13 3M109 113l-13 3"
      />
      <g className="garment__button">
        <circle cx="60" cy="60" r="1.3" />
        <circle cx="60" cy="76" r="1.3" />
        <circle cx="60" cy="92" r="1.3" />
        <circle cx="60" cy="108" r="1.3" />
      </g>
    </>
  ),
};

interface GarmentProps {
  readonly name: GarmentName;
  readonly cloth: string;
  readonly wall: string;
}

const ROOM_LIGHT_ID = "room-light";

/** The light that falls on every wall, once for the whole page. */
export function RoomLight() {
  return (
    <svg className="garment-light" width="0" height="0" aria-hidden="true">
      <radialGradient id={ROOM_LIGHT_ID} cx="0.3" cy="0.18" r="1.1">
        <stop offset="0" stopColor="#fff" stopOpacity="0.26" />
        <stop offset="0.5" stopColor="#808080" stopOpacity="0.06" />
        <stop offset="1" stopColor="#000" stopOpacity="0.26" />
      </radialGradient>
    </svg>
  );
}

/** A seller's photo of one piece before a wall; it takes the page's RoomLight. */
export function Garment({ name, cloth, wall }: GarmentProps) {
  return (
    <svg className="garment" viewBox="0 0 120 160" color={cloth} aria-hidden="true">
      <rect width="120" height="160" fill={wall} />
      <rect width="120" height="160" fill={`url(#${ROOM_LIGHT_ID})`} />
      <g className="garment__piece">{drawings[name]}</g>
    </svg>
  );
}

/** What garment.tsx can draw. */
export type GarmentName =
  | "jacket"
  | "hoodie"
  | "trench"
  | "dress"
  | "jeans"
  | "sneaker"
  | "bag"
  | "knit"
  | "puffer"
  | "shirt";
