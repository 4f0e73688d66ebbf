/** Reads and compiles the WebAssembly modules of the codecs of pictures in this thread. */
import { type PathLike, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

interface Compiler {
  compile(bytes: Uint8Array): Promise<object>
  instantiate(source: object, imports?: object): Promise<object>
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports?: object) => object
}

let isInline = false

/** Files that are open are read by their handles. */
const isPath = (path: PathLike) => typeof path === 'string' || path instanceof URL

/** Replaces the calls that begin work of threads, for the rest of the process. */
export function loadInline(): void {
  if (isInline) return
  isInline = true
  const files = process.getBuiltinModule('node:fs/promises')
  const { readFile } = files
  Object.assign(files, {
    readFile: async (path: PathLike, ...options: object[]) =>
      options.length === 0 && isPath(path) ? readFileSync(path) : readFile(path, ...options),
  })
  syncBuiltinESMExports()
  const compiler: Compiler = Reflect.get(globalThis, 'WebAssembly')
  const { Module, Instance } = compiler
  compiler.compile = async (bytes) => new Module(bytes)
  compiler.instantiate = async (source, imports) => {
    if (source instanceof Module) return new Instance(source, imports)
    const module = new Module(source as Uint8Array)
    return { module, instance: new Instance(module, imports) }
  }
}
