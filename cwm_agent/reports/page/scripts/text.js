"use strict";
// Text of others as it may be shown: characters that act, hide or reverse become escapes.
const cwm = {};
cwm.text = (() => {
  const hidden = /[\p{C}\p{Zl}\p{Zp}]/gu;

  function escaped(character) {
    if (character === "\n") return character;
    if (character === "\t") return "    ";
    const code = character.codePointAt(0);
    if (code < 256) return "\\x" + code.toString(16).padStart(2, "0");
    return code < 65536 ? "\\u" + code.toString(16).padStart(4, "0") : "\\U" + code.toString(16).padStart(8, "0");
  }

  const visible = (text) => String(text).replace(hidden, escaped);
  const line = (text) => visible(text).replaceAll("\n", "\\n");
  const shortened = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  const count = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
  const share = (value) => (value === null || value === undefined ? "–" : `${Math.round(value * 100)} %`);
  const seconds = (value) => (value >= 90 ? `${(value / 60).toFixed(1)} min` : `${value.toFixed(1)} s`);

  return { visible, line, shortened, count, share, seconds };
})();
