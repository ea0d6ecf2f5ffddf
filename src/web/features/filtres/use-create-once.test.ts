import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { CallError } from "../../api/client.ts";
import { useCreateOnce } from "./use-create-once.ts";

interface Entity {
  readonly _id: string;
  readonly content: string;
}

interface Try {
  readonly sent: string;
  /** What happens to this try: its answer arrives, is lost, or it never arrives itself. */
  readonly fate: "answered" | "answer lost" | "never arrives";
}

/** A form that creates entities, its page with an older list than the server. */
function aForm(saved: Entity[], known: readonly Entity[] | undefined) {
  const held: { create?: ReturnType<typeof useCreateOnce<Entity, string>> } = {};
  const Form = () => {
    held.create = useCreateOnce<Entity, string>({
      known: () => known,
      read: async () => await Promise.resolve([...saved]),
      isSame: ({ content }, sent) => content === sent,
    });
    return null;
  };
  renderToStaticMarkup(createElement(Form));
  const { create } = held;
  if (create === undefined) throw new Error("the form is rendered");
  return async ({ sent, fate }: Try): Promise<void> => {
    const arrive = async (change: () => void): Promise<void> => {
      if (fate !== "never arrives") change();
      if (fate !== "answered") throw await Promise.resolve(new CallError("Pas de réponse.", 0));
    };
    const saving = create(sent, {
      add: () => arrive(() => saved.push({ _id: `new-${saved.length}`, content: sent })),
      edit: ({ _id }) =>
        arrive(() => {
          saved.splice(
            saved.findIndex((each) => each._id === _id),
            1,
            { _id, content: sent },
          );
        }),
    });
    if (fate === "answered") await saving;
    else await expect(saving).rejects.toThrow("Pas de réponse.");
  };
}

const contentsOf = (saved: readonly Entity[]) => saved.map(({ content }) => content);

test("what was created without an answer is changed by the next try, also once a change was not answered", async () => {
  for (const fate of ["answer lost", "never arrives"] as const) {
    const saved: Entity[] = [];
    const save = aForm(saved, []);
    await save({ sent: "robe 40", fate: "answer lost" });
    await save({ sent: "robe 45", fate });
    await save({ sent: "robe 50", fate: "answered" });
    expect(contentsOf(saved)).toEqual(["robe 50"]);
  }
});

test("what another page created since the list was read is not changed, whatever its name", async () => {
  const saved: Entity[] = [];
  const save = aForm(saved, []);
  saved.push({ _id: "theirs", content: "robe 30" });
  await save({ sent: "robe 40", fate: "never arrives" });
  await save({ sent: "robe 40", fate: "answered" });
  expect(contentsOf(saved)).toEqual(["robe 30", "robe 40"]);
});

test("what was there before is not changed, although it is the same", async () => {
  for (const known of [[{ _id: "older", content: "robe 40" }], undefined]) {
    const saved = [{ _id: "older", content: "robe 40" }];
    const save = aForm(saved, known);
    await save({ sent: "robe 40", fate: "never arrives" });
    await save({ sent: "robe 50", fate: "answered" });
    expect(contentsOf(saved)).toEqual(["robe 40", "robe 50"]);
  }
});
