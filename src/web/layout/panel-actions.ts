import { createContext, use } from "react";

/** What any screen can ask of the panel around it. */
interface PanelActions {
  readonly openSettings: () => void;
  readonly openHelp: () => void;
}

const PanelActionsContext = createContext<PanelActions>({
  openSettings: () => undefined,
  openHelp: () => undefined,
});

export const PanelActionsProvider = PanelActionsContext.Provider;

export function usePanelActions(): PanelActions {
  return use(PanelActionsContext);
}
