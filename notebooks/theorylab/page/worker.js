// Runs the program of the lab, which answers the messages that the page posts, apart from the page, so that it stays alive.
import "./wasm_exec.js"; // Go's own; it defines globalThis.Go

async function run() {
  const fetched = new Uint8Array(await (await fetch("lab.wasm.gz")).arrayBuffer());
  // A file server may have unpacked it on the way, or not: gzip begins with these two bytes.
  const packed = fetched[0] === 0x1f && fetched[1] === 0x8b;
  const stream = new Blob([fetched]).stream();
  const program = new Response(packed ? stream.pipeThrough(new DecompressionStream("gzip")) : stream,
    { headers: { "Content-Type": "application/wasm" } });
  const go = new globalThis.Go();
  const { instance } = await WebAssembly.instantiateStreaming(program, go.importObject);
  await go.run(instance);
  throw new Error("the program of the lab has ended");
}

run().catch((error) => setTimeout(() => { throw error; })); // outside of a promise the page hears of it
