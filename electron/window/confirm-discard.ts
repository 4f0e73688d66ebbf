/** Asks before unsaved changes are lost. */
import { type BrowserWindow, dialog } from 'electron'
import { t } from '../ground/strings.ts'

/** Asks whether to quit and discard unsaved changes of the page. */
export async function confirmDiscard(window: BrowserWindow): Promise<boolean> {
  window.show()
  const { message, detail, quit, stay } = t.unsaved
  const buttons = [quit, stay]
  const question = { type: 'question', message, detail, buttons, defaultId: 1, cancelId: 1 } as const
  const { response } = await dialog.showMessageBox(window, question)
  return buttons[response] === quit
}
