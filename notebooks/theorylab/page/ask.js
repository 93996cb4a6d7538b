// Asks the worker. One question is under way at a time; those that are overtaken by newer ones are never asked.

export class Asker {
  #worker;
  #waiting = [];
  #sent = null;

  // answered(answer, request, milliseconds) gets each answer, failed(error) what ends the worker, ready() its start.
  constructor({ ready, answered, failed }) {
    this.#worker = new Worker("worker.js", { type: "module" });
    this.#sent = {}; // nothing can be asked before the program is there
    this.#worker.onmessage = ({ data }) => {
      const { request, began } = this.#sent;
      this.#sent = null;
      if (data === "ready") ready();
      else answered(JSON.parse(data), request, performance.now() - began);
      this.#next();
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      failed(event.message || "the worker could not be started");
    };
  }

  // ask replaces what still waits by new questions.
  ask(requests) {
    this.#waiting = [...requests];
    this.#next();
  }

  #next() {
    if (this.#sent || this.#waiting.length === 0) return;
    const request = this.#waiting.shift();
    this.#sent = { request, began: performance.now() };
    this.#worker.postMessage(JSON.stringify(request));
  }
}
