/** The system's dialogs for files. */
import { type BrowserWindow, dialog, type FileFilter } from 'electron'

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
export async function chooseFolder(
  window: BrowserWindow | undefined,
  title: string,
): Promise<string | undefined> {
  const options = { title, properties: ['openDirectory' as const, 'createDirectory' as const] }
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  return canceled ? undefined : filePaths[0]
}

/** Asks for an existing file. Undefined when cancelled. */
export async function chooseFile(
  window: BrowserWindow | undefined,
  title: string,
  filter: FileFilter,
): Promise<string | undefined> {
  const options = { title, filters: [filter], properties: ['openFile' as const] }
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  return canceled ? undefined : filePaths[0]
}
