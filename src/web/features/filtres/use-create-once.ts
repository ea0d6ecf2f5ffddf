import { useRef } from "react";
import { isOutcomeUnknown } from "../../api/client.ts";

interface List<Entity> {
  /** What the page knows without asking; undefined if it never read it. */
  readonly known: () => readonly Entity[] | undefined;
  readonly read: () => Promise<readonly Entity[]>;
  readonly nameOf: (entity: Entity) => string;
}

interface Steps<Entity, Answer> {
  readonly add: () => Promise<Answer>;
  /** Makes what an earlier try created what the form describes now. */
  readonly edit: (created: Entity) => Promise<Answer>;
}

/** Creates what a form describes, but changes it if an earlier try created it and only its answer was lost. */
export function useCreateOnce<Entity extends { readonly _id: string }>({
  known,
  read,
  nameOf,
}: List<Entity>) {
  /** The names of the tries without an answer, and what there was before the first. */
  const lost = useRef<{ readonly names: readonly string[]; readonly before: readonly string[] } | null>(null);
  return async <Answer>(name: string, { add, edit }: Steps<Entity, Answer>): Promise<Answer> => {
    const tried = lost.current;
    const created =
      tried === null
        ? undefined
        : (await read()).find(
            (each) => tried.names.includes(nameOf(each)) && !tried.before.includes(each._id),
          );
    const before = tried?.before ?? known()?.map(({ _id }) => _id);
    try {
      return await (created === undefined ? add() : edit(created));
    } catch (error) {
      // Without the list from before, it could be taken for an older one of the same name.
      if (before !== undefined && isOutcomeUnknown(error))
        lost.current = { names: [...(tried?.names ?? []), name], before };
      throw error;
    }
  };
}
