/** Objects as they are, for a place in the data directory: without a key, and readable without this program. */
import { blobSha256 } from '../../platform/store/blob-files.ts'
import type { Sealer } from './sealer.ts'

/** Media are named by their SHA-256. */
export const plainSealer: Sealer = {
  fingerprint: 'none',
  hiddenName: blobSha256,
  sealedBytes: (bytes) => bytes,
  seal: async (_name, content) => content,
  open: async (_name, content) => content,
  end: async () => {},
}
