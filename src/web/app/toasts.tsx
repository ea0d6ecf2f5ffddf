import { Notifications } from "@mantine/notifications";
import { LibraryProvider } from "./library-provider.tsx";

const MAX_SHOWN = 4;

export function Toasts() {
  return (
    <LibraryProvider>
      <Notifications position="bottom-right" limit={MAX_SHOWN} zIndex={500} />
    </LibraryProvider>
  );
}
