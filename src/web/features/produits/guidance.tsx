/** What the user must do before anything can arrive or be bought; loaded when there is something to do. */
import { Button } from "@mantine/core";
import { usePanelActions } from "../../layout/panel-actions.ts";
import { Notice } from "../../ui/notice.tsx";
import { FirstSteps, type FirstStepsProps } from "./first-steps.tsx";

export type Need = "first-steps" | "reconnect";

export function Guidance({ need, ...steps }: FirstStepsProps & { readonly need: Need }) {
  const { openSettings } = usePanelActions();
  if (need === "first-steps") return <FirstSteps {...steps} />;
  return (
    <Notice tone="warning" action={<Button onClick={openSettings}>Reconnecter</Button>}>
      Votre compte Vinted ne répond plus : les achats sont en pause jusqu'à ce que vous le reconnectiez.
    </Notice>
  );
}
