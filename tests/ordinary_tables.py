"""Twenty tables as people have them: ids, dates, gaps, units, categories, constants, names that repeat.

Each is made after a public one, with groups of rows that its measures tell apart.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

Rng = np.random.Generator
Made = tuple[pd.DataFrame, np.ndarray]


def near(rng: Rng, groups: np.ndarray, typical: list[float], spread: float, digits: int = 1) -> np.ndarray:
    return np.round(np.array(typical, float)[groups] + rng.normal(0, spread, groups.size), digits)


def mostly(rng: Rng, groups: np.ndarray, words: list[str], share: float = 0.95) -> np.ndarray:
    typical = np.array(words, object)[groups]
    return np.where(rng.random(groups.size) < share, typical, rng.choice(np.array(words, object), groups.size))


def with_gaps(rng: Rng, values: np.ndarray, share: float, gap: object = np.nan) -> np.ndarray:
    return np.where(rng.random(len(values)) < share, gap, np.asarray(values, object))


def days(rng: Rng, n: int, first: str, span: int, style: str = "%Y-%m-%d") -> list[str]:
    return [day.strftime(style) for day in pd.Timestamp(first) + pd.to_timedelta(rng.integers(span, size=n), unit="D")]


def animals(rng: Rng) -> Made:
    y = rng.integers(4, size=90)
    columns = {
        "animal_name": [f"animal {k}" for k in range(90)],
        "legs": np.array([4, 2, 0, 6])[y],
        "feathers": np.where(y == 1, "yes", "no"),
        "aquatic": np.where(y == 2, "yes", "no"),
        "milk": np.where(y == 0, "yes", "no"),
        "weight_kg": near(rng, y, [60, 2, 5, 0.1], 0.5, 2),
    }
    return pd.DataFrame(columns), y


def cars(rng: Rng) -> Made:
    y = rng.integers(3, size=300)
    models = [f"{maker} {model}" for maker in ("ford", "amc", "vw") for model in ("pinto", "gremlin", "rabbit", "440")]
    columns = {
        "mpg": with_gaps(rng, near(rng, y, [31, 20, 14], 1.5), 0.02, "NA"),
        "cylinders": np.array([4, 6, 8])[y],
        "horsepower": with_gaps(rng, near(rng, y, [75, 100, 165], 6, 0).astype(int), 0.02, "?"),
        "weight": near(rng, y, [2200, 3200, 4200], 120, 0).astype(int),
        "model_year": rng.integers(70, 83, size=300),
        "origin": mostly(rng, y, ["Japan", "Europe", "USA"]),
        "car name": rng.choice(models, 300),
    }
    return pd.DataFrame(columns), y


def films(rng: Rng) -> Made:
    y = rng.integers(2, size=250)
    columns = {
        "id": np.arange(1001, 1251),
        "title": [f"The film no. {k}" for k in rng.permutation(250)],
        "released": days(rng, 250, "1995-01-01", 9000, "%d %b %Y"),
        "budget": [f"${value:,.0f}" for value in near(rng, y, [3e6, 1.5e8], 5e5, 0)],
        "rating": near(rng, y, [7.4, 6.1], 0.4),
        "genre": mostly(rng, y, ["drama", "action"]),
        "sequel": np.where(rng.random(250) < np.array([0.05, 0.5])[y], "TRUE", "FALSE"),
        "tagline": with_gaps(rng, np.array([f"tagline {k}" for k in range(250)]), 0.7, ""),
    }
    return pd.DataFrame(columns), y


def survey(rng: Rng) -> Made:
    y = rng.integers(2, size=200)
    columns = {"respondent": [f"R{k:04d}" for k in range(200)]}
    for k in range(8):
        columns[f"q{k + 1}"] = np.clip(near(rng, y, [2, 4.4], 0.6, 0), 1, 5).astype(int)
    columns["sex"] = rng.integers(1, 3, size=200)
    columns["comment"] = with_gaps(rng, np.array([f"I think that {k}" for k in range(200)]), 0.6, "")
    return pd.DataFrame(columns), y


def sales(rng: Rng) -> Made:
    y = rng.integers(3, size=240)
    columns = {
        "Order ID": [f"CA-2016-{k}" for k in rng.permutation(100_000)[:240]],
        "Order Date": days(rng, 240, "2016-01-01", 700, "%m/%d/%Y"),
        "Region": mostly(rng, y, ["West", "East", "South"], 0.5),
        "Category": mostly(rng, y, ["Furniture", "Technology", "Paper"]),
        "Sales": near(rng, y, [480, 1900, 20], 6, 2),
        "Quantity": np.clip(near(rng, y, [3, 1, 14], 0.5, 0), 1, None).astype(int),
        "Discount": [f"{value:.0f}%" for value in near(rng, y, [20, 0, 40], 1.5, 0)],
        "Currency": "USD",
    }
    return pd.DataFrame(columns), y


def sensors(rng: Rng) -> Made:
    y = np.repeat([0, 1, 2], 100)
    columns = {
        "timestamp": pd.date_range("2024-03-01 00:00", periods=300, freq="10min").strftime("%Y-%m-%d %H:%M:%S"),
        "temp (°C)": with_gaps(rng, near(rng, y, [21, 35, 60], 1.0), 0.05, ""),
        "pressure_kPa": near(rng, y, [101, 130, 180], 2.0),
        "vibration": with_gaps(rng, near(rng, y, [0.1, 0.5, 0.9], 0.05, 3), 0.03, "NaN"),
        "status": mostly(rng, y, ["ok", "warm", "hot"]),
        "spare": "",
    }
    return pd.DataFrame(columns), y


def passengers(rng: Rng) -> Made:
    y = rng.integers(3, size=260)
    columns = {
        "PassengerId": np.arange(1, 261),
        "Pclass": y + 1,
        "Name": [f"Smith, Mr. {k}" for k in range(260)],
        "Sex": mostly(rng, y, ["female", "male", "male"], 0.8),
        "Age": with_gaps(rng, near(rng, y, [39, 30, 25], 8, 0), 0.2, ""),
        "Fare": near(rng, y, [90, 25, 8], 3, 2),
        "Cabin": with_gaps(rng, np.array([f"C{k}" for k in range(260)]), 0.75, ""),
        "Embarked": with_gaps(rng, mostly(rng, y, ["C", "S", "Q"], 0.7), 0.01, ""),
    }
    return pd.DataFrame(columns), y


def houses(rng: Rng) -> Made:
    y = rng.integers(3, size=180)
    columns = {
        "Unnamed: 0": np.arange(180),
        "price": [f"{value:,.0f} €" for value in near(rng, y, [150_000, 420_000, 1_200_000], 2e4, 0)],
        "area m2": near(rng, y, [55, 120, 300], 6, 0),
        "rooms": np.clip(near(rng, y, [2, 4, 8], 0.4, 0), 1, None).astype(int),
        "garden": np.where(rng.random(180) < np.array([0.02, 0.8, 0.98])[y], "ja", "nein"),
        "built": rng.integers(1900, 2021, size=180),
    }
    return pd.DataFrame(columns), y


def countries(rng: Rng) -> Made:
    y = rng.integers(3, size=150)
    columns = {
        "country": [f"Land {k}" for k in range(150)],
        "iso": [f"L{k:03d}" for k in range(150)],
        "gdp per capita": with_gaps(rng, near(rng, y, [1_500, 12_000, 55_000], 700, 0), 0.05, ".."),
        "life expectancy": near(rng, y, [58, 71, 82], 1.5),
        "internet %": near(rng, y, [12, 55, 93], 4),
        "continent": mostly(rng, y, ["Africa", "Asia", "Europe"], 0.7),
        "notes": "",
    }
    return pd.DataFrame(columns), y


def patients(rng: Rng) -> Made:
    y = rng.integers(2, size=220)
    columns = {
        "patient": [f"{k:08x}" for k in rng.integers(2**31, size=220)],
        "admitted": days(rng, 220, "2019-01-01", 900, "%d.%m.%Y"),
        "bmi": with_gaps(rng, near(rng, y, [23, 34], 1.2), 0.04, "unknown"),
        "glucose": near(rng, y, [90, 160], 7, 0),
        "smoker": np.where(rng.random(220) < np.array([0.1, 0.6])[y], "Yes", "No"),
        "blood pressure": near(rng, y, [118, 148], 5, 0),
        "ward": mostly(rng, y, ["A1", "B2"], 0.6),
    }
    return pd.DataFrame(columns), y


def wines(rng: Rng) -> Made:
    y = rng.integers(3, size=170)
    columns = {"wine": [f"wine {k // 2}" for k in range(170)]}
    for k, name in enumerate(("alcohol", "malic acid", "ash", "flavanoids", "hue", "proline")):
        columns[name] = near(rng, y, list(rng.permutation([1.0, 4.0, 7.0]) * (k + 1)), 0.3 * (k + 1), 2)
    return pd.DataFrame(columns), y


def players(rng: Rng) -> Made:
    y = rng.integers(3, size=210)
    columns = {
        "rank": np.arange(1, 211),
        "player": [f"Player {k}" for k in rng.permutation(210)],
        "height": near(rng, y, [185, 198, 213], 2, 0),
        "points": near(rng, y, [21, 12, 9], 1.0),
        "assists": near(rng, y, [8, 3, 1], 0.6),
        "rebounds": near(rng, y, [3, 6, 12], 0.7),
        "position": mostly(rng, y, ["guard", "forward", "center"]),
        "born": days(rng, 210, "1985-01-01", 4000),
    }
    return pd.DataFrame(columns), y


def stations(rng: Rng) -> Made:
    y = rng.integers(3, size=160)
    columns = {
        "station": [f"ST{k}" for k in range(160)],
        "lat": near(rng, y, [47, 52, 60], 0.4, 4),
        "lon": near(rng, y, [8, 13, 25], 0.4, 4),
        "elevation_m": near(rng, y, [1900, 60, 120], 25, 0),
        "rain mm": near(rng, y, [1500, 560, 640], 30, 0),
        "since": rng.integers(1880, 2000, size=160),
        "active": True,
    }
    return pd.DataFrame(columns), y


def songs(rng: Rng) -> Made:
    y = rng.integers(2, size=230)
    columns = {
        "track_id": [f"{k:022d}" for k in rng.permutation(230)],
        "artist": rng.choice([f"artist {k}" for k in range(120)], 230),
        "danceability": np.clip(near(rng, y, [0.3, 0.8], 0.06, 3), 0, 1),
        "loudness": near(rng, y, [-19, -5], 1.2, 2),
        "tempo": near(rng, y, [85, 126], 5, 1),
        "explicit": rng.random(230) < 0.3,
        "duration": near(rng, y, [310, 190], 15, 0),
    }
    return pd.DataFrame(columns), y


def flowers(rng: Rng) -> Made:
    y = rng.integers(3, size=150)
    columns = {
        "sepal length": near(rng, y, [5.0, 5.9, 7.2], 0.2),
        "sepal width": near(rng, y, [3.4, 2.6, 3.3], 0.15),
        "petal length": near(rng, y, [1.5, 4.2, 6.4], 0.2),
        "petal width": near(rng, y, [0.2, 1.3, 2.2], 0.1),
        "species": np.array(["setosa", "versicolor", "virginica"])[y],
    }
    return pd.DataFrame(columns), y


def customers(rng: Rng) -> Made:
    y = rng.integers(4, size=320)
    columns = {
        "CustomerID": rng.permutation(np.arange(10_000, 10_320)),
        "signup": with_gaps(rng, np.array(days(rng, 320, "2015-01-01", 2500)), 0.05, ""),
        "income (k$)": near(rng, y, [20, 25, 90, 95], 4, 0),
        "score": near(rng, y, [20, 80, 15, 85], 5, 0),
        "age": near(rng, y, [55, 25, 45, 33], 4, 0),
        "email": [f"user{k}@example.org" for k in range(320)],
        "newsletter": rng.choice(["y", "n"], 320),
    }
    return pd.DataFrame(columns), y


def soil(rng: Rng) -> Made:
    y = rng.integers(3, size=140)
    columns = {
        "sample": [f"S-{k}" for k in range(140)],
        "pH": near(rng, y, [4.6, 6.3, 8.1], 0.2, 2),
        "sand": near(rng, y, [80, 40, 10], 3, 0),
        "clay": near(rng, y, [5, 30, 60], 3, 0),
        "lead": with_gaps(rng, near(rng, y, [10, 40, 25], 4, 0), 0.7, ""),
        "depth": 30,
    }
    return pd.DataFrame(columns), y


def flights(rng: Rng) -> Made:
    y = rng.integers(3, size=260)
    columns = {
        "flight": [f"LH{k}" for k in rng.integers(100, 999, size=260)],
        "date": days(rng, 260, "2023-01-01", 360, "%Y/%m/%d"),
        "distance": near(rng, y, [400, 1800, 8500], 60, 0),
        "air_time_min": near(rng, y, [60, 190, 640], 8, 0),
        "delay": with_gaps(rng, near(rng, y, [5, 10, 20], 8, 0), 0.03, ""),
        "plane": mostly(rng, y, ["CRJ9", "A320", "A350"]),
        "canceled": 0,
    }
    return pd.DataFrame(columns), y


def schools(rng: Rng) -> Made:
    y = rng.integers(2, size=190)
    columns = {
        "school name": rng.choice([f"{name} School" for name in ("Oak", "Elm", "Hill", "Lake", "Park")], 190),
        "students": near(rng, y, [240, 1100], 40, 0),
        "teachers": near(rng, y, [15, 75], 3, 0),
        "lunch": [f"{value:.0f} %" for value in np.clip(near(rng, y, [15, 62], 5, 0), 0, 100)],
        "level": mostly(rng, y, ["primary", "secondary"]),
        "district": rng.integers(1, 30, size=190),
    }
    return pd.DataFrame(columns), y


def metals(rng: Rng) -> Made:
    y = rng.integers(3, size=120)
    columns = {
        "Alloy": [f"A{k}" for k in range(120)],
        "density;g/cm3": near(rng, y, [2.7, 7.8, 11.3], 0.1, 2),
        "melting": near(rng, y, [660, 1500, 330], 20, 0),
        "hardness": with_gaps(rng, near(rng, y, [30, 160, 5], 4, 0), 0.1, "-"),
        "magnetic": np.where(y == 1, "true", "false"),
        "remark": with_gaps(rng, np.full(120, "see datasheet", object), 0.9, ""),
    }
    return pd.DataFrame(columns), y


TABLES: tuple[Callable[[Rng], Made], ...] = (
    animals, cars, films, survey, sales, sensors, passengers, houses, countries, patients,
    wines, players, stations, songs, flowers, customers, soil, flights, schools, metals,
)  # fmt: skip
