/** Where salvage finds what is damaged here. */
import { join } from 'node:path'
import { backupsName } from '../layout.ts'
import type { OpenedFile } from '../pages/database-file.ts'
import { scratchPrefix } from './read-backup.ts'

/** Databases of these data at other times: backups, or the bases of a replica. `scratch` is a folder that the caller removes. */
export interface PageSource {
  /**
   * Yields the pages with these numbers that it has. They may be of another version: the caller compares checksums. A source that cannot
   * be read yields nothing.
   */
  pages(
    numbers: readonly number[],
    scratch: string,
  ): AsyncIterable<readonly [number: number, page: Uint8Array]>
  /** Opens the newest intact database; undefined if there is none. */
  newest?(scratch: string): Promise<(OpenedFile & { readonly name: string }) | undefined>
}

/** The folder for files that a salvage needs meanwhile. */
export function salvageScratch(dir: string): string {
  return join(dir, backupsName, `${scratchPrefix}salvage`)
}
