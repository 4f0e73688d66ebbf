/** The system's dialogs: questions, and files. */
import { type BrowserWindow, dialog, type FileFilter, type OpenDialogOptions } from 'electron'

/** Asks a question. Returns the label of the button, the last one if the dialog is closed. @param preferred the index of the default */
export async function ask(
  window: BrowserWindow,
  { message, detail }: { readonly message: string; readonly detail: string },
  buttons: string[],
  {
    type = 'question',
    preferred = 0,
  }: { readonly type?: 'question' | 'error'; readonly preferred?: number } = {},
): Promise<string | undefined> {
  const choice = { buttons, defaultId: preferred, cancelId: buttons.length - 1 }
  const { response } = await dialog.showMessageBox(window, { type, message, detail, ...choice })
  return buttons[response]
}

/** Asks where to save a file. Undefined when cancelled. */
export async function chooseDestination(
  window: BrowserWindow | undefined,
  title: string,
  name: string,
  filter: FileFilter,
): Promise<string | undefined> {
  const options = { title, defaultPath: name, filters: [filter] }
  const { canceled, filePath } = await (window
    ? dialog.showSaveDialog(window, options)
    : dialog.showSaveDialog(options))
  return canceled || filePath === '' ? undefined : filePath
}

/** Asks for an existing folder, or a new one. Undefined when cancelled. */
export function chooseFolder(window: BrowserWindow | undefined, title: string): Promise<string | undefined> {
  return choose(window, { title, properties: ['openDirectory', 'createDirectory'] })
}

/** Asks for an existing file. Undefined when cancelled. */
export function chooseFile(
  window: BrowserWindow | undefined,
  title: string,
  filter: FileFilter,
): Promise<string | undefined> {
  return choose(window, { title, filters: [filter], properties: ['openFile'] })
}

async function choose(
  window: BrowserWindow | undefined,
  options: OpenDialogOptions,
): Promise<string | undefined> {
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  return canceled ? undefined : filePaths[0]
}
