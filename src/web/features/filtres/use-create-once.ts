import { useRef } from "react";
import { isOutcomeUnknown } from "../../api/client.ts";

interface List<Entity, Sent> {
  /** What the page knows without asking; undefined if it never read it. It may be older than another page's change. */
  readonly known: () => readonly Entity[] | undefined;
  readonly read: () => Promise<readonly Entity[]>;
  /** Whether an entity is what was sent, as the server keeps it. */
  readonly isSame: (entity: Entity, sent: Sent) => boolean;
}

interface Steps<Entity, Answer> {
  readonly add: () => Promise<Answer>;
  /** Makes what an earlier try created what the form describes now. */
  readonly edit: (created: Entity) => Promise<Answer>;
}

/**
 * Creates what a form describes, but changes it if an earlier try created it and only its answer was lost. Only what
 * is as that try sent it counts as created by it: another page may have created another one of the same name.
 */
export function useCreateOnce<Entity extends { readonly _id: string }, Sent>({
  known,
  read,
  isSame,
}: List<Entity, Sent>) {
  /** What the tries without an answer sent, and what there was before the first. */
  const lost = useRef<{ readonly tries: readonly Sent[]; readonly before: readonly string[] } | null>(null);
  return async <Answer>(sent: Sent, { add, edit }: Steps<Entity, Answer>): Promise<Answer> => {
    const tried = lost.current;
    const created =
      tried === null
        ? undefined
        : (await read()).find(
            (each) => !tried.before.includes(each._id) && tried.tries.some((one) => isSame(each, one)),
          );
    const before = tried?.before ?? known()?.map(({ _id }) => _id);
    try {
      return await (created === undefined ? add() : edit(created));
    } catch (error) {
      // Without the list from before, it could be taken for an older one of the same content.
      if (before !== undefined && isOutcomeUnknown(error))
        lost.current = { tries: [...(tried?.tries ?? []), sent], before };
      throw error;
    }
  };
}
