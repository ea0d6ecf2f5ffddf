/** Drawings of clothes in any colour: `currentColor` is the cloth, folds and seams are lighter or darker. */
import drawings from "./garments.json" with { type: "json" };
import "./preview-rail.css";

export type GarmentName = keyof typeof drawings;

interface GarmentProps {
  readonly name: GarmentName;
  readonly cloth: string;
  readonly wall: string;
}

const ROOM_LIGHT_ID = "room-light";

/** The gradient that all garments reference; rendered once per page. */
export function RoomLight() {
  return (
    <svg className="visually-hidden" width="0" height="0" aria-hidden="true">
      <radialGradient id={ROOM_LIGHT_ID} cx="0.3" cy="0.18" r="1.1">
        <stop offset="0" stopColor="#fff" stopOpacity="0.26" />
        <stop offset="0.5" stopColor="#808080" stopOpacity="0.06" />
        <stop offset="1" stopColor="#000" stopOpacity="0.26" />
      </radialGradient>
    </svg>
  );
}

/** A garment in front of a wall, like a seller's photo; needs a `RoomLight` on the page. */
export function Garment({ name, cloth, wall }: GarmentProps) {
  return (
    <svg className="garment" viewBox="0 0 120 160" color={cloth} aria-hidden="true">
      <rect width="120" height="160" fill={wall} />
      <rect width="120" height="160" fill={`url(#${ROOM_LIGHT_ID})`} />
      <g className="garment__piece" strokeLinecap="round" strokeLinejoin="round">
        {drawings[name].map((path, index) => (
          <path key={index} {...path} />
        ))}
      </g>
    </svg>
  );
}
