import { formatCount } from "../../ui/format.ts";

export interface Place {
  readonly rank: number;
  readonly total: number;
}

/** The French ordinal suffix of a rank, which is shown raised. */
export function ordinalEnding(rank: number): "er" | "e" {
  return rank === 1 ? "er" : "e";
}

const RAISED: Readonly<Record<"er" | "e", string>> = { er: "ᵉʳ", e: "ᵉ" };

/** "Vous êtes 12ᵉ sur 80 dans la liste d'attente". */
export function waitlistSentence({ rank, total }: Place): string {
  const place = `${formatCount(rank)}${RAISED[ordinalEnding(rank)]}`;
  return `Vous êtes ${place} sur ${formatCount(total)} dans la liste d'attente`;
}
