/** Compresses the built interface: the server sends these files as they are, and no visitor waits for the compression. */
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const packers = {
  br: promisify(brotliCompress),
  // Browsers accept Brotli from secure origins only: not from an address of the home network.
  gz: (content: Buffer) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
}

/** Writes `main.js.br` and `main.js.gz` beside `main.js`, and so on. */
export async function compressFolder(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const write = async (path: string) => {
    const content = await readFile(path)
    for (const [ending, pack] of Object.entries(packers))
      await writeFile(`${path}.${ending}`, await pack(content))
  }
  await Promise.all(files.map(({ parentPath, name }) => write(join(parentPath, name))))
}
