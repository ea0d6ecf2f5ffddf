import { useSyncExternalStore } from "react";
import { leftOut, type ListName } from "../api/answers.ts";
import { formatCounted } from "./format.ts";
import "./notice.css";

interface LeftOutProps {
  readonly list: ListName;
  /** "achat", "achats". */
  readonly one: string;
  readonly many: string;
}

/** Says below a list how many of its items could not be read; nothing while all of them could. */
export function LeftOut({ list, one, many }: LeftOutProps) {
  const count = useSyncExternalStore(leftOut.subscribe, () => leftOut.of(list));
  if (count === 0) return null;
  return (
    <p className="left-out">
      {formatCounted(count, `${one} n'a pas pu être lu`, `${many} n'ont pas pu être lus`)} : le reste est
      complet.
    </p>
  );
}
