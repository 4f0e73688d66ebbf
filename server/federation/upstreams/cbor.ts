/** Reads parts of DAG-CBOR and skips the rest, because most events of a stream concern nothing here. */

/** The bytes are invalid CBOR, or have another shape than expected. */
export class InvalidCbor extends Error {
  override name = 'InvalidCbor'
}

/** Major types (RFC 8949 §3.1). */
const major = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6 } as const

/** Items of one message. A commit of 1,000 operations has 10,000. Decoding 1,000 items takes about 0.2 ms. */
const maxItems = 50_000

/** Walks over CBOR items, up to a number of them. Every method moves behind the items it has read, and throws InvalidCbor. */
export class CborReader {
  readonly #bytes: Buffer
  #at: number
  #items = 0
  #major = 0
  #argument = 0

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  /** Offset of the next item. */
  get at(): number {
    return this.#at
  }

  /** The number of items that were read or skipped. */
  get items(): number {
    return this.#items
  }

  /** Returns the number of entries of a map. */
  map(): number {
    return this.#expect(major.map)
  }

  text(): string {
    return this.#take(major.text).toString('latin1')
  }

  /** Returns undefined for an item of another kind, such as null. */
  textIfAny(): string | undefined {
    if ((this.#bytes[this.#at] ?? 0) >> 5 === major.text) return this.text()
    this.skip()
    return undefined
  }

  /** Returns a part of the buffer. */
  bytes(): Buffer {
    return this.#take(major.bytes)
  }

  /** Returns a whole number between -2^53 and 2^53. */
  integer(): number {
    this.#head()
    if (this.#major === major.unsigned) return this.#argument
    if (this.#major === major.negative) return -1 - this.#argument
    throw new InvalidCbor('Expected a number')
  }

  /** Moves behind an item of any kind. Takes a time in proportion to its bytes, whatever is nested in it. */
  skip(): void {
    for (let open = 1; open > 0; open--) {
      this.#head()
      const { bytes, text, array, map, tag } = major
      if (this.#major === bytes || this.#major === text) this.#advance(this.#argument)
      else if (this.#major === array) open += this.#argument
      else if (this.#major === map) open += 2 * this.#argument
      else if (this.#major === tag) open += 1
      // Each item has at least one byte.
      if (open - 1 > this.#bytes.length - this.#at) throw new InvalidCbor('Unexpected end')
    }
  }

  #expect(expected: number): number {
    this.#head()
    if (this.#major !== expected) throw new InvalidCbor('Unexpected type')
    return this.#argument
  }

  #take(expected: number): Buffer {
    const length = this.#expect(expected)
    const from = this.#at
    this.#advance(length)
    return this.#bytes.subarray(from, this.#at)
  }

  #advance(length: number): void {
    this.#at += length
    if (this.#at > this.#bytes.length) throw new InvalidCbor('Unexpected end')
  }

  /** Reads the head of an item: its major type and its argument. */
  #head(): void {
    if (++this.#items > maxItems) throw new InvalidCbor('The message has too many parts')
    const first = this.#bytes[this.#at++]
    if (first === undefined) throw new InvalidCbor('Unexpected end')
    this.#major = first >> 5
    const info = first & 31
    this.#argument = info < 24 ? info : this.#longArgument(info)
  }

  #longArgument(info: number): number {
    const from = this.#at
    if (info > 27) throw new InvalidCbor('Indefinite lengths are not allowed')
    this.#advance(2 ** (info - 24))
    if (info === 24) return this.#bytes.readUInt8(from)
    if (info === 25) return this.#bytes.readUInt16BE(from)
    if (info === 26) return this.#bytes.readUInt32BE(from)
    const value = Number(this.#bytes.readBigUInt64BE(from))
    // The bits of a float are no length.
    if (!Number.isSafeInteger(value) && this.#major < 7) throw new InvalidCbor('The number is too large')
    return value
  }
}
