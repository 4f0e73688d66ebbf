/** The backups of a data directory as a source of pages that are damaged there. */
import type { PageSource } from '../../../platform/store/backups/salvage.ts'
import { type Files, nodeFiles } from '../../../platform/store/files.ts'
import { replicaPages } from '../page-source.ts'
import { localTarget } from './target.ts'

export function backupPages(dataDir: string, files: Files = nodeFiles): PageSource {
  return replicaPages(localTarget(dataDir, files), files)
}
