import { formatCount } from "../../ui/format.ts";

/** A place on the waiting list. */
export interface Place {
  readonly rank: number;
  readonly total: number;
}

/** How a rank is written: the number, and the ending that stands raised after it. */
export function ordinalEnding(rank: number): "er" | "e" {
  return rank === 1 ? "er" : "e";
}

const RAISED: Readonly<Record<"er" | "e", string>> = { er: "ᵉʳ", e: "ᵉ" };

/** "Vous êtes 12ᵉ sur 80 sur la liste d'attente". */
export function waitlistSentence({ rank, total }: Place): string {
  const place = `${formatCount(rank)}${RAISED[ordinalEnding(rank)]}`;
  return `Vous êtes ${place} sur ${formatCount(total)} sur la liste d'attente`;
}
