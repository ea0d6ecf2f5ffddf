import { useQuery } from "@tanstack/react-query";
import { boughtIdsOf } from "./bought-ids.ts";
import { queries } from "./queries.ts";

const none: ReadonlySet<number> = new Set();

/** The listings that the person has bought, or may have: 'Déjà acheté' holds for the statuses 1, 2 and 3. */
export function useBoughtIds(): ReadonlySet<number> {
  const { data } = useQuery({ ...queries.purchases, select: boughtIdsOf });
  return data ?? none;
}
